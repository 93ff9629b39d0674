/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Control flow as a tree. After loop rotation and simplification, code that was written with for, while, do and if is
 *
 *   seq  = node*
 *   node = BLOCK b | IF (branch of b) seq seq | DAG (branch of b) b* | LOOP seq | CHECK (branch of b)
 *
 * where the arms of an IF meet at the immediate post-dominator of its block, and a LOOP is left through its latch alone. A
 * branch or switch whose arms share blocks (`a && b` with an else, fall-through) is a DAG if there are no loops in it:
 *
 *   b:  br a, x, no      x: br b, yes, no     yes -> meet     no -> meet          DAG: x yes no
 *
 * A branch to where the program ends (failed assertions, bounds checks) is a CHECK, and otherwise isn't there.
 *
 * What is no such tree ends its sequence; loops behind that point become roots of their own. */
#include "read/read.h"
#include <stdlib.h>

struct parser {
  struct tsr_analyses *a;
  struct tsr_tree *tree;
  tsr_loop *seen;
  int n_seen;
  enum tsr_reason reason; /* of the last failure */
  LLVMValueRef culprit;
  bool shared; /* some arm met a block of another: the failure is that of the tree's shape */
  struct visit {
    LLVMBasicBlockRef block;
    bool now; /* is it in the tree? */
  } *table;   /* open addressing */
  int n_table;
};

#define MAX_DAG 64

/* A node of the tree, at the end of SEQ (NULL: of none) */
static struct tsr_node *node_new(struct parser *p, struct tsr_seq *seq, enum tsr_node_kind kind, LLVMBasicBlockRef block)
{
  struct tsr_node *node = calloc(1, sizeof(*node));
  node->kind = kind;
  node->block = block;
  node->loop = tsr_loop_for(p->a, block);
  p->tree->all = realloc(p->tree->all, (p->tree->n_all + 1) * sizeof(*p->tree->all));
  p->tree->all[p->tree->n_all++] = node;
  if (seq) {
    seq->nodes = realloc(seq->nodes, (seq->n + 1) * sizeof(*seq->nodes));
    seq->nodes[seq->n++] = node;
  }
  return node;
}

/* A new, empty root */
static struct tsr_seq *root_new(struct tsr_tree *tree)
{
  tree->roots = realloc(tree->roots, (tree->n_root + 1) * sizeof(*tree->roots));
  tree->roots[tree->n_root] = (struct tsr_seq){0};
  return &tree->roots[tree->n_root++];
}

/* The entry of BLOCK in the table */
static struct visit *visit_of(struct parser *p, LLVMBasicBlockRef block)
{
  int at = (int)((((uintptr_t)block >> 4) * 2654435761u) % (unsigned)p->n_table);
  while (p->table[at].block && p->table[at].block != block)
    at = (at + 1) % p->n_table;
  p->table[at].block = block;
  return &p->table[at];
}

/* BLOCKS are no longer part of the tree. */
static void forget(struct parser *p, const struct tsr_blocks *blocks)
{
  for (int i = 0; i < blocks->n; i++)
    visit_of(p, blocks->block[i])->now = false;
}

/* What follows is no tree, for REASON: false. */
static bool fail(struct parser *p, enum tsr_reason reason, LLVMValueRef culprit)
{
  p->reason = reason;
  p->culprit = culprit;
  return false;
}

/* The branch out of the middle of LOOP; if there is none, its header's. */
static LLVMValueRef leaving_branch(struct parser *p, tsr_loop loop)
{
  LLVMBasicBlockRef header = tsr_loop_header(loop), b = LLVMGetFirstBasicBlock(LLVMGetBasicBlockParent(header));
  for (; b; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    for (unsigned i = 0; tsr_loop_contains(loop, b) && b != tsr_loop_latch(loop) && i < LLVMGetNumSuccessors(end); i++)
      if (!tsr_loop_contains(loop, LLVMGetSuccessor(end, i)) && !tsr_block_is_error(p->a, LLVMGetSuccessor(end, i)))
        return end;
  }
  return LLVMGetBasicBlockTerminator(header);
}

static bool parse_seq(struct parser *p, struct tsr_seq *seq, LLVMBasicBlockRef at, LLVMBasicBlockRef stop, tsr_loop in);

/* A loop; false if control doesn't go on behind it in one place. */
static bool parse_loop(struct parser *p, struct tsr_seq *seq, tsr_loop loop, struct tsr_node **out)
{
  p->seen = realloc(p->seen, (p->n_seen + 1) * sizeof(*p->seen));
  p->seen[p->n_seen++] = loop;
  struct tsr_node *node = node_new(p, seq, TSR_NODE_LOOP, tsr_loop_header(loop));
  *out = node;
  node->next = tsr_loop_exit(p->a, loop);
  LLVMBasicBlockRef latch = tsr_loop_latch(loop);
  bool shape = node->next && latch && tsr_loop_preheader(loop) && tsr_loop_exiting(p->a, loop) == latch;
  bool done = tsr_loop_has_mark(loop, TSR_LOOP_DONE); /* nothing is transformed twice */
  if (!shape)
    fail(p, TSR_REASON_Control, leaving_branch(p, loop));
  if (done)
    fail(p, TSR_REASON_Done, NULL);
  if (done || !parse_seq(p, &node->body[0], node->block, NULL, loop) || !shape) {
    node->opaque = true;
    node->reason = p->reason;
    node->culprit = p->culprit;
  }
  return node->next != NULL;
}

/* ---- branches without loops */

/* Blocks between a branch and the place where its arms meet, in postorder. */
struct dag {
  struct parser *p;
  LLVMBasicBlockRef branch, meet;
  tsr_loop in;
  struct tsr_blocks path, done;
};

/* Add AT and what is reachable from it; false if that is no part without loops. */
static bool dag_visit(struct dag *d, LLVMBasicBlockRef at)
{
  if (at == d->meet || tsr_blocks_have(&d->done, at))
    return true;
  if (tsr_loop_for(d->p->a, at) != d->in || (d->in && (at == tsr_loop_header(d->in) || at == tsr_loop_latch(d->in))) ||
      at == d->branch || tsr_blocks_have(&d->path, at) || d->path.n + d->done.n >= MAX_DAG)
    return false;
  LLVMValueRef end = LLVMGetBasicBlockTerminator(at);
  LLVMOpcode op = LLVMGetInstructionOpcode(end);
  if (op != LLVMBr && op != LLVMSwitch)
    return false;
  tsr_blocks_add(&d->path, at);
  for (unsigned i = LLVMGetNumSuccessors(end); i-- > 0;)
    if (!dag_visit(d, LLVMGetSuccessor(end, i)))
      return false;
  d->path.n--;
  tsr_blocks_add(&d->done, at);
  return true;
}

/* Does control come to the blocks of D through the branch alone? */
static bool dag_has_one_entry(struct dag *d)
{
  for (int i = 0; i < d->done.n; i++)
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(d->done.block[i])); u; u = LLVMGetNextUse(u)) {
      LLVMValueRef user = LLVMGetUser(u);
      LLVMBasicBlockRef from = LLVMIsATerminatorInst(user) ? LLVMGetInstructionParent(user) : NULL;
      if (from != d->branch && !(from && tsr_blocks_have(&d->done, from)))
        return false;
    }
  return true;
}

/* The blocks behind the end of BLOCK up to MEET, in postorder, if they have no loop and no other entry. */
static bool dag_collect(struct parser *p, LLVMBasicBlockRef block, LLVMBasicBlockRef meet, tsr_loop in,
                        struct tsr_blocks *out)
{
  struct dag d = {.p = p, .branch = block, .meet = meet, .in = in};
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
  bool ok = true;
  for (unsigned i = LLVMGetNumSuccessors(end); ok && i-- > 0;)
    ok = dag_visit(&d, LLVMGetSuccessor(end, i));
  ok = ok && dag_has_one_entry(&d);
  free(d.path.block);
  *out = d.done;
  if (!ok)
    out->n = 0;
  return ok;
}

/* NODE is the last of SEQ: true. */
static bool seq_append(struct tsr_seq *seq, struct tsr_node *node)
{
  seq->nodes = realloc(seq->nodes, (seq->n + 1) * sizeof(*seq->nodes));
  seq->nodes[seq->n++] = node;
  return true;
}

/* The branch at the end of BLOCK, with the blocks of POSTORDER up to MEET, at the end of SEQ: true. */
static bool dag_new(struct parser *p, struct tsr_seq *seq, LLVMBasicBlockRef block, LLVMBasicBlockRef meet,
                    const struct tsr_blocks *postorder)
{
  struct tsr_node *node = node_new(p, seq, TSR_NODE_DAG, block);
  node->next = meet;
  for (int i = postorder->n - 1; i >= 0; i--) {
    visit_of(p, postorder->block[i])->now = true;
    node_new(p, &node->body[0], TSR_NODE_BLOCK, postorder->block[i]);
  }
  return true;
}

/* Each loop of SEQ, which may share blocks with another part, becomes a root of its own. */
static void root_loops(struct parser *p, const struct tsr_seq *seq)
{
  for (int i = 0; i < seq->n; i++)
    if (seq->nodes[i]->kind == TSR_NODE_LOOP) {
      seq_append(root_new(p->tree), seq->nodes[i]);
    } else {
      root_loops(p, &seq->nodes[i]->body[0]);
      root_loops(p, &seq->nodes[i]->body[1]);
    }
}

/* The arms of NODE up to MEET; on failure what could be parsed becomes roots, unless the arms are a DAG anyway. */
static bool parse_arms(struct parser *p, struct tsr_node *node, LLVMBasicBlockRef meet, tsr_loop in, bool is_dag)
{
  LLVMValueRef br = LLVMGetBasicBlockTerminator(node->block);
  for (int arm = 0; arm < 2; arm++)
    if (!parse_seq(p, &node->body[arm], LLVMGetSuccessor(br, arm), meet, in)) {
      for (int i = 0; i <= arm && !is_dag; i++) {
        if (p->shared && i < arm)
          root_loops(p, &node->body[i]);
        else
          *root_new(p->tree) = node->body[i];
        if (!p->shared || i == arm)
          node->body[i] = (struct tsr_seq){0};
      }
      return false;
    }
  return true;
}

/* The conditional branch or switch at the end of BLOCK. */
static bool parse_branch(struct parser *p, struct tsr_seq *seq, LLVMBasicBlockRef block, LLVMBasicBlockRef *next,
                         tsr_loop in)
{
  LLVMBasicBlockRef meet = tsr_post_dominator(p->a, block);
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
  bool is_switch = LLVMGetInstructionOpcode(end) == LLVMSwitch, ok = false;
  if (!meet || (in && !tsr_loop_contains(in, meet)))
    return fail(p, is_switch ? TSR_REASON_Switch : TSR_REASON_Control, end);
  struct tsr_blocks dag = {0};
  bool is_dag = dag_collect(p, block, meet, in, &dag);
  *next = meet;
  if (!is_switch) {
    struct tsr_node *node = node_new(p, NULL, TSR_NODE_IF, block);
    node->next = meet;
    ok = parse_arms(p, node, meet, in, is_dag) && seq_append(seq, node);
  } else if (!is_dag) {
    fail(p, TSR_REASON_Switch, end);
  }
  if (!ok && is_dag) {
    forget(p, &dag);
    p->shared = false;
    ok = dag_new(p, seq, block, meet, &dag);
  }
  free(dag.block);
  return ok;
}

/* Where the conditional branch at the end of BLOCK leads if that isn't the end of the program; NULL: it is no check. */
static LLVMBasicBlockRef passed_check(struct parser *p, LLVMBasicBlockRef block)
{
  LLVMValueRef br = LLVMGetBasicBlockTerminator(block);
  bool error[2] = {tsr_block_is_error(p->a, LLVMGetSuccessor(br, 0)), tsr_block_is_error(p->a, LLVMGetSuccessor(br, 1))};
  return error[0] == error[1] ? NULL : LLVMGetSuccessor(br, error[0]);
}

/* From AT up to STOP (exclusive), the latch of IN, or the end of the function. */
static bool parse_seq(struct parser *p, struct tsr_seq *seq, LLVMBasicBlockRef at, LLVMBasicBlockRef stop, tsr_loop in)
{
  while (at != stop) {
    tsr_loop loop = tsr_loop_for(p->a, at);
    if (loop != in) {
      struct tsr_node *node;
      if (!loop || tsr_loop_header(loop) != at || tsr_loop_parent(loop) != in)
        return fail(p, TSR_REASON_Control, LLVMGetBasicBlockTerminator(at));
      if (!parse_loop(p, seq, loop, &node))
        return fail(p, TSR_REASON_Control, leaving_branch(p, loop));
      at = node->next;
      continue;
    }
    LLVMValueRef end = LLVMGetBasicBlockTerminator(at);
    if (visit_of(p, at)->now) {
      p->shared = true;
      return fail(p, TSR_REASON_Control, end);
    }
    visit_of(p, at)->now = true;
    struct tsr_node *node = node_new(p, seq, TSR_NODE_BLOCK, at);
    if (in && at == tsr_loop_latch(in)) /* in an arm: it meets the other one in a later iteration */
      return stop ? fail(p, TSR_REASON_Control, end) : true;
    switch (LLVMGetInstructionOpcode(end)) {
    case LLVMRet:
    case LLVMUnreachable:
      return in || stop ? fail(p, TSR_REASON_Control, end) : true;
    case LLVMBr:
      if (!LLVMIsConditional(end)) {
        node->next = at = LLVMGetSuccessor(end, 0);
      } else if (passed_check(p, at)) {
        node = node_new(p, seq, TSR_NODE_CHECK, at);
        node->next = at = passed_check(p, at);
      } else if (!parse_branch(p, seq, at, &at, in)) {
        return false;
      }
      break;
    case LLVMSwitch:
      if (!parse_branch(p, seq, at, &at, in))
        return false;
      break;
    case LLVMInvoke:
      return fail(p, TSR_REASON_Invoke, end);
    default:
      return fail(p, TSR_REASON_Control, end);
    }
  }
  return true;
}

#define MAX_LOOPS 256

/* Loops that no sequence reached: each a root. */
static void parse_rest(struct parser *p, tsr_loop *loops, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    bool seen = false;
    for (int k = 0; k < p->n_seen; k++)
      seen |= p->seen[k] == loops[i];
    if (!seen) {
      struct tsr_seq root = {0};
      struct tsr_node *node;
      parse_loop(p, &root, loops[i], &node);
      *root_new(p->tree) = root;
    }
    tsr_loop children[MAX_LOOPS];
    parse_rest(p, children, tsr_loop_children(loops[i], children, MAX_LOOPS));
  }
}

struct tsr_tree *tsr_tree_parse(struct tsr_analyses *a, LLVMValueRef function)
{
  struct parser p = {.a = a, .tree = calloc(1, sizeof(struct tsr_tree))};
  struct tsr_seq root = {0};
  p.n_table = 2 * (int)LLVMCountBasicBlocks(function) + 7;
  p.table = calloc(p.n_table, sizeof(*p.table));
  parse_seq(&p, &root, LLVMGetEntryBasicBlock(function), NULL, NULL);
  *root_new(p.tree) = root;
  tsr_loop top[MAX_LOOPS];
  parse_rest(&p, top, tsr_loops_top(a, top, MAX_LOOPS));
  free(p.seen);
  free(p.table);
  return p.tree;
}

struct tsr_tree *tsr_tree_free(struct tsr_tree *tree)
{
  if (!tree)
    return NULL;
  for (int i = 0; i < tree->n_all; i++) {
    free(tree->all[i]->body[0].nodes);
    free(tree->all[i]->body[1].nodes);
    free(tree->all[i]);
  }
  for (int i = 0; i < tree->n_root; i++)
    free(tree->roots[i].nodes);
  free(tree->roots);
  free(tree->all);
  free(tree);
  return NULL;
}

bool tsr_seq_has_loop(const struct tsr_seq *seq)
{
  for (int i = 0; i < seq->n; i++)
    if (tsr_node_has_loop(seq->nodes[i]))
      return true;
  return false;
}

bool tsr_node_has_loop(const struct tsr_node *node)
{
  return node->kind == TSR_NODE_LOOP ||
         (node->kind == TSR_NODE_IF && (tsr_seq_has_loop(&node->body[0]) || tsr_seq_has_loop(&node->body[1])));
}

bool tsr_seq_has_candidate(const struct tsr_seq *seq)
{
  for (int i = 0; i < seq->n; i++) {
    const struct tsr_node *node = seq->nodes[i];
    if ((node->kind == TSR_NODE_LOOP && !node->opaque) || tsr_seq_has_candidate(&node->body[0]) ||
        tsr_seq_has_candidate(&node->body[1]))
      return true;
  }
  return false;
}

bool tsr_seq_has_done(const struct tsr_seq *seq)
{
  for (int i = 0; i < seq->n; i++) {
    const struct tsr_node *node = seq->nodes[i];
    if ((node->opaque && node->reason == TSR_REASON_Done) || tsr_seq_has_done(&node->body[0]) ||
        tsr_seq_has_done(&node->body[1]))
      return true;
  }
  return false;
}

tsr_loop tsr_seq_loop(const struct tsr_seq *seq)
{
  if (!seq->n)
    return NULL;
  return seq->nodes[0]->kind == TSR_NODE_LOOP ? tsr_loop_parent(seq->nodes[0]->loop) : seq->nodes[0]->loop;
}

bool tsr_node_contains(const struct tsr_node *node, LLVMBasicBlockRef block)
{
  if (node->block == block)
    return true;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < node->body[k].n; i++)
      if (tsr_node_contains(node->body[k].nodes[i], block))
        return true;
  return false;
}
