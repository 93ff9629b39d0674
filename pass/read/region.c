/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Control flow as a tree. After loop rotation and simplification, code that was written with for, while, do and if is
 *
 *   seq  = node*
 *   node = BLOCK b | IF (branch of b) seq seq | LOOP seq
 *
 * where the arms of an IF meet at the immediate post-dominator of its block, and a LOOP is left through its latch alone.
 * What is no such tree ends its sequence; loops behind that point become roots of their own. */
#include "pass.h"
#include <stdlib.h>

struct parser {
  struct tsr_analyses *a;
  struct tsr_tree *tree;
  tsr_loop *seen;
  int n_seen;
  enum tsr_reason reason; /* of the last failure */
  LLVMValueRef culprit;
};

void tsr_blocks_add(struct tsr_blocks *blocks, LLVMBasicBlockRef block)
{
  blocks->block = realloc(blocks->block, (blocks->n + 1) * sizeof(*blocks->block));
  blocks->block[blocks->n++] = block;
}

bool tsr_blocks_have(const struct tsr_blocks *blocks, LLVMBasicBlockRef block)
{
  for (int i = 0; i < blocks->n; i++)
    if (blocks->block[i] == block)
      return true;
  return false;
}

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

static struct tsr_seq *root_new(struct tsr_tree *tree)
{
  tree->roots = realloc(tree->roots, (tree->n_root + 1) * sizeof(*tree->roots));
  tree->roots[tree->n_root] = (struct tsr_seq){0};
  return &tree->roots[tree->n_root++];
}

static bool fail(struct parser *p, enum tsr_reason reason, LLVMValueRef culprit)
{
  p->reason = reason;
  p->culprit = culprit;
  return false;
}

/* The branch out of the middle of LOOP; if there is none, its header's. */
static LLVMValueRef leaving_branch(tsr_loop loop)
{
  LLVMBasicBlockRef header = tsr_loop_header(loop), b = LLVMGetFirstBasicBlock(LLVMGetBasicBlockParent(header));
  for (; b; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    for (unsigned i = 0; tsr_loop_contains(loop, b) && b != tsr_loop_latch(loop) && i < LLVMGetNumSuccessors(end); i++)
      if (!tsr_loop_contains(loop, LLVMGetSuccessor(end, i)))
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
  node->next = tsr_loop_exit(loop);
  LLVMBasicBlockRef latch = tsr_loop_latch(loop);
  bool shape = node->next && latch && tsr_loop_preheader(loop) && tsr_loop_exiting(loop) == latch;
  bool done = tsr_loop_has_mark(loop, TSR_LOOP_DONE); /* nothing is transformed twice */
  if (!shape)
    fail(p, TSR_REASON_Control, leaving_branch(loop));
  if (done)
    fail(p, TSR_REASON_Done, NULL);
  if (done || !parse_seq(p, &node->body[0], node->block, NULL, loop) || !shape) {
    node->opaque = true;
    node->reason = p->reason;
    node->culprit = p->culprit;
  }
  return node->next != NULL;
}

static bool parse_if(struct parser *p, struct tsr_seq *seq, LLVMBasicBlockRef block, LLVMBasicBlockRef *next, tsr_loop in)
{
  LLVMBasicBlockRef meet = tsr_post_dominator(p->a, block);
  if (!meet || (in && !tsr_loop_contains(in, meet)))
    return fail(p, TSR_REASON_Control, LLVMGetBasicBlockTerminator(block));
  struct tsr_node *node = node_new(p, NULL, TSR_NODE_IF, block);
  node->next = *next = meet;
  LLVMValueRef br = LLVMGetBasicBlockTerminator(block);
  for (int arm = 0; arm < 2; arm++)
    if (!parse_seq(p, &node->body[arm], LLVMGetSuccessor(br, arm), meet, in)) {
      for (int i = 0; i <= arm; i++) { /* keep what could be parsed */
        *root_new(p->tree) = node->body[i];
        node->body[i] = (struct tsr_seq){0};
      }
      return false;
    }
  seq->nodes = realloc(seq->nodes, (seq->n + 1) * sizeof(*seq->nodes));
  seq->nodes[seq->n++] = node;
  return true;
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
        return fail(p, TSR_REASON_Control, leaving_branch(loop));
      at = node->next;
      continue;
    }
    LLVMValueRef end = LLVMGetBasicBlockTerminator(at);
    struct tsr_node *node = node_new(p, seq, TSR_NODE_BLOCK, at);
    if (in && at == tsr_loop_latch(in))
      return true;
    switch (LLVMGetInstructionOpcode(end)) {
    case LLVMRet:
    case LLVMUnreachable:
      return in || stop ? fail(p, TSR_REASON_Control, end) : true;
    case LLVMBr:
      if (!LLVMIsConditional(end))
        node->next = at = LLVMGetSuccessor(end, 0);
      else if (!parse_if(p, seq, at, &at, in))
        return false;
      break;
    case LLVMSwitch:
      return fail(p, TSR_REASON_Switch, end);
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
  parse_seq(&p, &root, LLVMGetEntryBasicBlock(function), NULL, NULL);
  *root_new(p.tree) = root;
  tsr_loop top[MAX_LOOPS];
  parse_rest(&p, top, tsr_loops_top(a, top, MAX_LOOPS));
  free(p.seen);
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
