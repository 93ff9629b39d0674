/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nodes -> units of straight control flow, each with its domain and the loops around it.
 *
 * Conditions that are affine restrict domains. A branch on data whose arms have no loops stays a branch: its block and the
 * blocks of its arms become one unit, which the statements of those arms are made of as a whole,
 *
 *   b: c = a[i] > 0; br c, yes, meet      yes: x[i] = 1; br meet      ->      one unit { b, yes }, left to meet
 *
 * so that nothing runs that did not run before. If the model need not be exact, the same goes for innermost loops whose
 * number of iterations depends on data, or that are behind a branch that does. What an instance does in its arms is only
 * known to be a subset of what the model says: reads may, writes may (TSR_MAY_WRITE). */
#include "read/control/control.h"
#include "read/reader.h"
#include <stdlib.h>
#include <string.h>

#define MAX_INSTS 4000

/* Where INST is in the hash table, or would be */
static unsigned slot_of(struct reader *r, LLVMValueRef inst)
{
  unsigned at = (unsigned)(((uintptr_t)inst >> 4) * 2654435761u) % r->n_hash;
  while (r->hash[at] >= 0 && r->vals[r->hash[at]].inst != inst)
    at = (at + 1) % r->n_hash;
  return at;
}

int tsr_reader_find(struct reader *r, LLVMValueRef inst)
{
  return r->hash[slot_of(r, inst)];
}

int tsr_reader_blk(struct reader *r, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
  int found = -1;
  for (int i = 0; i < r->n_blk; i++)
    if (r->blks[i].block == from || tsr_blocks_have(&r->blks[i].inner, from)) {
      if (r->blks[i].to == to)
        return i;
      if (!r->blks[i].to)
        found = i;
    }
  return found;
}

tsr_loop tsr_reader_loop(struct reader *r, int b)
{
  return tsr_loop_for(r->m->a, r->blks[b].block);
}

/* The loops around the place of the visit. */
struct around {
  tsr_loop loops[TSR_MAX_DEPTH];
  int n;
  bool assumed;       /* is it behind a condition that is assumed to hold? */
  LLVMValueRef guard; /* is it behind a condition on data around loops? Else NULL */
  bool guard_when;
};

static bool visit_seq(struct reader *r, const struct tsr_seq *seq, isl_set *domain, struct around *around);

/* BLOCK is a unit of its own. */
static void visit_block(struct reader *r, LLVMBasicBlockRef block, isl_set *domain, const struct around *around)
{
  r->blks = realloc(r->blks, (r->n_blk + 1) * sizeof(*r->blks));
  struct blk *b = &r->blks[r->n_blk++];
  *b = (struct blk){.block = block, .domain = isl_set_copy(domain), .n_loop = around->n, .assumed = around->assumed};
  b->guard = around->guard;
  b->guard_when = around->guard_when;
  memcpy(b->loops, around->loops, around->n * sizeof(*around->loops));
}

/* As tsr_edge_set, but an edge whose condition is no affine one leaves no trace in the model. */
static isl_set *try_edge(struct tsr_model *m, LLVMValueRef branch, unsigned i, isl_set *domain, tsr_loop loop)
{
  isl_set *saved = isl_set_copy(m->violated);
  isl_set *taken = tsr_edge_set(m, branch, i, domain, loop);
  if (taken) {
    isl_set_free(saved);
    return taken;
  }
  isl_set_free(m->violated);
  m->violated = saved;
  tsr_model_retry(m);
  return NULL;
}

/* Append all blocks in NODE. */
static void collect_inner(struct tsr_blocks *blocks, const struct tsr_node *node)
{
  if (node->kind == TSR_NODE_BLOCK)
    tsr_blocks_add(blocks, node->block);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < node->body[k].n; i++)
      collect_inner(blocks, node->body[k].nodes[i]);
}

/* May NODE, with the loops in it, be run as a whole? They must come to an end, and have no loops of their own: nests are
 * better looked at alone. */
static bool is_closed(struct tsr_model *m, const struct tsr_node *node)
{
  if (node->kind == TSR_NODE_CHECK)
    return false;
  if (node->kind == TSR_NODE_LOOP && (node->opaque || tsr_seq_has_loop(&node->body[0]) || !tsr_loop_ends(m->a, node->loop)))
    return false;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < node->body[k].n; i++)
      if (!is_closed(m, node->body[k].nodes[i]))
        return false;
  return true;
}

/* The first check in NODE; NULL: there is none. */
static const struct tsr_node *find_check(const struct tsr_node *node)
{
  const struct tsr_node *found = node->kind == TSR_NODE_CHECK ? node : NULL;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < node->body[k].n && !found; i++)
      found = find_check(node->body[k].nodes[i]);
  return found;
}

/* CHECK can't be assumed never to fail. */
static bool reject_check(struct tsr_model *m, const struct tsr_node *check)
{
  return tsr_model_reject(m, TSR_REASON_Check, LLVMGetOperand(LLVMGetBasicBlockTerminator(check->block), 0), NULL);
}

/* NODE, behind block FROM, depends on data: it joins the unit of that block. */
static bool visit_inner(struct reader *r, const struct tsr_node *node, LLVMBasicBlockRef from, enum tsr_reason reason,
                        LLVMValueRef culprit)
{
  struct blk *b = r->n_blk ? &r->blks[r->n_blk - 1] : NULL;
  bool loop = tsr_node_has_loop(node);
  if (r->m->reason != TSR_ACCEPTED)
    return false;
  if (find_check(node))
    return reject_check(r->m, find_check(node));
  if ((loop && (r->m->exact || !is_closed(r->m, node))) || !b || b->block != from || b->to || b->inner.n)
    return tsr_model_reject(r->m, reason, culprit, NULL);
  r->m->approximate |= loop;
  b->meet = node->next;
  collect_inner(&b->inner, node);
  return true;
}

/* The branch of NODE depends on data: its arms join the unit of its block. */
static bool visit_branch(struct reader *r, const struct tsr_node *node)
{
  LLVMValueRef branch = LLVMGetBasicBlockTerminator(node->block);
  return visit_inner(r, node, node->block, TSR_REASON_Condition, LLVMGetOperand(branch, 0));
}

/* What PHI is when control comes from BLOCK, one of those it may come from. */
static LLVMValueRef value_from(LLVMValueRef phi, LLVMBasicBlockRef block)
{
  unsigned i = 0;
  while (LLVMGetIncomingBlock(phi, i) != block)
    i++;
  return LLVMGetIncomingValue(phi, i);
}

/* NODE's condition is assumed to hold at the points with DOMAIN: one test, or where phis say what is compared, one for each
 * way in which control comes to them. False: these aren't known. */
static bool add_skips(struct reader *r, const struct tsr_node *node, int arm, isl_set *domain, const struct around *around)
{
  struct tsr_skip_phis phis = tsr_find_skip_phis(r->m, node);
  LLVMValueRef first = phis.phi[0];
  isl_set *left = isl_set_copy(domain);
  if (!first)
    tsr_skip_add(r->m, node, arm, false, domain, around->loops, around->n, NULL, 0);
  for (unsigned i = 0; first && i < LLVMCountIncoming(first); i++) {
    LLVMBasicBlockRef block = LLVMGetIncomingBlock(first, i);
    int from = tsr_reader_blk(r, block, LLVMGetInstructionParent(first));
    if (from < 0 || r->blks[from].n_loop != around->n || r->blks[from].inner.n ||
        memcmp(r->blks[from].loops, around->loops, around->n * sizeof(*around->loops)))
      break;
    struct tsr_same same[TSR_MAX_SKIP_PHIS];
    for (int p = 0; p < phis.n; p++)
      same[p] = (struct tsr_same){phis.phi[p], value_from(phis.phi[p], block)};
    isl_set *own = isl_set_intersect(isl_set_copy(domain), isl_set_copy(r->blks[from].domain));
    tsr_skip_add(r->m, node, arm, false, own, around->loops, around->n, same, phis.n);
    left = isl_set_subtract(left, own);
  }
  bool all = !first || isl_set_is_empty(left) == isl_bool_true;
  isl_set_free(left);
  return all || tsr_model_reject(r->m, TSR_REASON_Condition, tsr_branch_condition(node->block), NULL);
}

/* Is there a call in SEQ? */
static bool has_call(const struct tsr_seq *seq)
{
  bool found = false;
  for (int i = 0; i < seq->n && !found; i++) {
    LLVMBasicBlockRef block = seq->nodes[i]->block;
    LLVMValueRef inst = seq->nodes[i]->kind == TSR_NODE_LOOP || !block ? NULL : LLVMGetFirstInstruction(block);
    for (; inst && !found; inst = LLVMGetNextInstruction(inst))
      found = LLVMIsACallInst(inst) && !LLVMIsAIntrinsicInst(inst) && !tsr_is_complex_helper(inst);
    found = found || has_call(&seq->nodes[i]->body[0]) || has_call(&seq->nodes[i]->body[1]);
  }
  return found;
}

/* The arm of NODE whose statements may be guarded by its condition, each on its own: the other one is empty, and it has
 * innermost loops alone. -1: none. */
static int guarded_arm(struct tsr_model *m, const struct tsr_node *node)
{
  int arm = tsr_often_arm(m, node);
  return arm >= 0 && !has_call(&node->body[arm]) && !find_check(node) ? arm : -1;
}

/* ARM of NODE, whose condition goes to each of its statements:
 *
 *   c = x[i] > 0; if (c) for j: S      ->      c = x[i] > 0; for j: { if (c) S } */
static bool visit_guarded(struct reader *r, const struct tsr_node *node, int arm, isl_set *domain, struct around *around)
{
  tsr_skip_add(r->m, node, arm, true, domain, around->loops, around->n, NULL, 0);
  around->guard = tsr_branch_condition(node->block);
  around->guard_when = !arm;
  bool ok = visit_seq(r, &node->body[arm], domain, around);
  around->guard = NULL;
  return ok;
}

/* An affine condition restricts the domains of both arms; another one makes them part of a unit. */
static bool visit_if(struct reader *r, const struct tsr_node *node, isl_set *domain, struct around *around)
{
  LLVMValueRef branch = LLVMGetBasicBlockTerminator(node->block);
  isl_set *yes = try_edge(r->m, branch, 0, domain, node->loop);
  if (!yes)
    yes = tsr_invariant_edge(r->m, branch);
  int skip = yes ? -1 : tsr_skip_arm(r->m, node);
  if (skip >= 0) {
    bool outer = around->assumed;
    around->assumed = true;
    bool ok = add_skips(r, node, skip, domain, around) && visit_seq(r, &node->body[skip], domain, around);
    around->assumed = outer;
    return ok;
  }
  int guarded = yes || around->guard || r->m->reason != TSR_ACCEPTED ? -1 : guarded_arm(r->m, node);
  if (guarded >= 0)
    return visit_guarded(r, node, guarded, domain, around);
  if (!yes)
    return visit_branch(r, node);
  isl_set *arm[2] = {isl_set_intersect(isl_set_copy(domain), isl_set_copy(yes)),
                     isl_set_subtract(isl_set_copy(domain), yes)};
  bool ok = true;
  for (int i = 0; i < 2; i++) {
    arm[i] = isl_set_coalesce(arm[i]);
    /* Phis behind an empty arm take a value on this edge alone. */
    if (!node->body[i].n && node->body[!i].n && tsr_reader_blk(r, node->block, NULL) >= 0) {
      visit_block(r, node->block, arm[i], around);
      r->blks[r->n_blk - 1].to = node->next;
    }
    ok = ok && visit_seq(r, &node->body[i], arm[i], around);
    isl_set_free(arm[i]);
  }
  return ok;
}

/* Add to the domains REACHED of the blocks of DAG those instances of DOMAIN that leave BLOCK for them. */
static bool follow_edges(struct reader *r, const struct tsr_node *dag, LLVMBasicBlockRef block, isl_set *domain,
                         isl_set **reached)
{
  LLVMValueRef branch = LLVMGetBasicBlockTerminator(block);
  for (unsigned i = 0; i < LLVMGetNumSuccessors(branch); i++) {
    isl_set *taken = try_edge(r->m, branch, i, domain, dag->loop);
    if (!taken)
      return false;
    taken = isl_set_intersect(taken, isl_set_copy(domain));
    for (int k = 0; k < dag->body[0].n; k++)
      if (dag->body[0].nodes[k]->block == LLVMGetSuccessor(branch, i))
        reached[k] = isl_set_coalesce(isl_set_union(reached[k], isl_set_copy(taken)));
    isl_set_free(taken);
  }
  return true;
}

/* As visit_if, of arms that share blocks: each block has the domain of all ways to it. */
static bool visit_dag(struct reader *r, const struct tsr_node *node, isl_set *domain, struct around *around)
{
  int n = node->body[0].n;
  isl_set **reached = calloc(n + 1, sizeof(*reached));
  for (int i = 0; i < n; i++)
    reached[i] = isl_set_empty(isl_set_get_space(domain));
  bool ok = follow_edges(r, node, node->block, domain, reached);
  for (int i = 0; i < n && ok; i++)
    ok = follow_edges(r, node, node->body[0].nodes[i]->block, reached[i], reached);
  for (int i = 0; i < n; i++) {
    if (ok)
      visit_block(r, node->body[0].nodes[i]->block, reached[i], around);
    isl_set_free(reached[i]);
  }
  free(reached);
  return ok || visit_branch(r, node);
}

/* The branch out of LOOP, whose exits were joined: the first that leads to its latch, but for the way round; else its
 * latch's. */
static LLVMValueRef joined_branch(tsr_loop loop)
{
  LLVMBasicBlockRef latch = tsr_loop_latch(loop);
  LLVMValueRef back = LLVMGetBasicBlockTerminator(latch);
  LLVMValueRef go = LLVMIsABranchInst(back) && LLVMIsConditional(back) ? LLVMGetCondition(back) : NULL;
  for (unsigned i = 0; go && LLVMIsAPHINode(go) && i < LLVMCountIncoming(go); i++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(go, i));
    if (LLVMGetNumSuccessors(end) > 1)
      return end;
  }
  return back;
}

/* The body in the domain of the loop; without one it may be run as a whole. */
static bool visit_loop(struct reader *r, const struct tsr_node *node, isl_set *domain, struct around *around)
{
  struct tsr_model *m = r->m;
  if (node->opaque)
    return tsr_model_reject(m, node->reason, node->culprit, NULL);
  if (around->n == TSR_MAX_DEPTH)
    return tsr_model_reject(m, TSR_REASON_Size, NULL, "loops nested too deep");
  isl_set *saved = isl_set_copy(m->violated);
  isl_set *inner = tsr_loop_domain(m, node->loop, isl_set_copy(domain));
  if (!inner && !m->exact) {
    isl_set_free(m->violated);
    m->violated = saved;
    tsr_model_retry(m);
    bool joined = tsr_loop_has_mark(node->loop, TSR_LOOP_JOINED);
    return visit_inner(r, node, tsr_loop_preheader(node->loop), joined ? TSR_REASON_Exit : TSR_REASON_TripCount,
                       joined ? joined_branch(node->loop) : LLVMGetBasicBlockTerminator(tsr_loop_latch(node->loop)));
  }
  isl_set_free(saved);
  if (!inner && tsr_loop_has_mark(node->loop, TSR_LOOP_JOINED))
    return tsr_model_reject(m, TSR_REASON_Exit, joined_branch(node->loop), NULL);
  if (!inner) {
    LLVMBasicBlockRef latch = tsr_loop_latch(node->loop);
    tsr_scev count = tsr_scev_backedge_count(m->a, node->loop);
    char *text = count && !m->quiet ? tsr_scev_string(count) : NULL;
    tsr_model_reject(m, TSR_REASON_TripCount, LLVMGetBasicBlockTerminator(latch), text);
    free(text);
    return false;
  }
  around->loops[around->n++] = node->loop;
  bool ok = visit_seq(r, &node->body[0], inner, around);
  around->n--;
  isl_set_free(inner);
  return ok;
}

/* Is BLOCK, where the program ends, only reached from M or from places that share no value of M with it? */
static bool is_own_error(struct tsr_model *m, LLVMBasicBlockRef block)
{
  bool shared = false;
  for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); u; u = LLVMGetNextUse(u)) {
    LLVMBasicBlockRef from = LLVMIsATerminatorInst(LLVMGetUser(u)) ? LLVMGetInstructionParent(LLVMGetUser(u)) : NULL;
    shared |= !from || !(tsr_blocks_have(&m->blocks, from) || tsr_blocks_have(&m->errors, from));
  }
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && shared; i = LLVMGetNextInstruction(i))
    for (int k = 0; k < LLVMGetNumOperands(i); k++)
      if (tsr_model_in_region(m, LLVMGetOperand(i, k)))
        return false;
  return true;
}

/* BLOCK and what follows it, where the program ends. */
static bool collect_errors(struct tsr_model *m, LLVMBasicBlockRef block)
{
  if (tsr_blocks_have(&m->errors, block))
    return true;
  tsr_blocks_add(&m->errors, block);
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
  if (LLVMGetNumSuccessors(end) && LLVMGetInstructionOpcode(end) != LLVMBr)
    return false; /* an exception's way out */
  for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
    if (!collect_errors(m, LLVMGetSuccessor(end, i)))
      return false;
  return true;
}

/* A check is assumed never to fail. */
static bool visit_check(struct reader *r, const struct tsr_node *node, isl_set *domain)
{
  struct tsr_model *m = r->m;
  LLVMValueRef branch = LLVMGetBasicBlockTerminator(node->block);
  unsigned failed = LLVMGetSuccessor(branch, 0) == node->next;
  isl_set *fails = try_edge(m, branch, failed, domain, node->loop);
  if (!fails && m->reason == TSR_ACCEPTED) {
    isl_set *saved = isl_set_copy(m->violated);
    bool ok = tsr_condition_assume_not(m, LLVMGetCondition(branch), !failed, domain, node->loop);
    isl_set_free(ok ? saved : m->violated);
    m->violated = ok ? m->violated : saved;
    return (ok && collect_errors(m, LLVMGetSuccessor(branch, failed))) || reject_check(m, node);
  }
  return fails && tsr_model_assume_not(m, isl_set_copy(domain), fails) &&
         (collect_errors(m, LLVMGetSuccessor(branch, failed)) || reject_check(m, node));
}

/* All nodes of SEQ at points with DOMAIN; false: one of them can't be modelled. */
static bool visit_seq(struct reader *r, const struct tsr_seq *seq, isl_set *domain, struct around *around)
{
  bool ok = true;
  for (int i = 0; i < seq->n && ok; i++) {
    const struct tsr_node *node = seq->nodes[i];
    switch (node->kind) {
    case TSR_NODE_BLOCK:
      visit_block(r, node->block, domain, around);
      break;
    case TSR_NODE_IF:
      ok = visit_if(r, node, domain, around);
      break;
    case TSR_NODE_DAG:
      ok = visit_dag(r, node, domain, around);
      break;
    case TSR_NODE_LOOP:
      ok = visit_loop(r, node, domain, around);
      break;
    case TSR_NODE_CHECK:
      ok = visit_check(r, node, domain);
      break;
    }
  }
  return ok;
}

/* ---- instructions */

/* Does rejecting INST matter even if nobody needs its value? */
static bool has_effect(LLVMValueRef inst)
{
  LLVMOpcode op = LLVMGetInstructionOpcode(inst);
  if (op == LLVMLoad)
    return LLVMGetVolatile(inst) || LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic;
  return op == LLVMStore || op == LLVMCall || op == LLVMFence || op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg ||
         op == LLVMAlloca || op == LLVMVAArg;
}

/* What can be told without any set: INST, or the base of the address that it stores to, can't be modelled anyway. */
static bool screen_inst(struct tsr_model *m, LLVMValueRef inst)
{
  enum tsr_reason reason;
  if (!has_effect(inst))
    return true;
  if (tsr_inst_role(m, inst, &reason) == TSR_ROLE_REJECT)
    return tsr_model_reject(m, reason, inst, NULL);
  return !LLVMIsAStoreInst(inst) || tsr_store_base_is_fixed(m, inst);
}

/* Is there a condition around a loop in NODE that M can't have, as far as is plain without sets? */
static bool screen_conditions(struct tsr_model *m, const struct tsr_node *node)
{
  if (node->kind == TSR_NODE_IF && tsr_node_has_loop(node) && (m->exact || !is_closed(m, node))) {
    LLVMValueRef cond = tsr_branch_condition(node->block);
    if (tsr_condition_is_data(m, cond, node->loop) && !tsr_can_hoist(m, cond, 0) && tsr_skip_arm(m, node) < 0 &&
        guarded_arm(m, node) < 0)
      return tsr_model_reject(m, TSR_REASON_Condition, cond, NULL);
  }
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < node->body[k].n; i++)
      if (!screen_conditions(m, node->body[k].nodes[i]))
        return false;
  return true;
}

/* Can all of SEQ be modelled, as far as each node and instruction alone tells? */
static bool screen_seq(struct tsr_model *m, const struct tsr_seq *seq)
{
  bool ok = true;
  for (int i = 0; i < seq->n && ok; i++) {
    const struct tsr_node *node = seq->nodes[i];
    if (node->kind == TSR_NODE_LOOP && node->opaque)
      return tsr_model_reject(m, node->reason, node->culprit, NULL);
    if (node->kind == TSR_NODE_LOOP && m->exact && m->quiet && tsr_loop_has_mark(node->loop, TSR_LOOP_JOINED))
      return tsr_model_reject(m, TSR_REASON_Exit, joined_branch(node->loop), NULL);
    if (node->kind == TSR_NODE_LOOP && m->exact && m->quiet && tsr_loop_has_no_domain(m->a, node->loop))
      return tsr_model_reject(m, TSR_REASON_TripCount, LLVMGetBasicBlockTerminator(tsr_loop_latch(node->loop)), NULL);
    LLVMValueRef inst = node->kind == TSR_NODE_BLOCK ? LLVMGetFirstInstruction(node->block) : NULL;
    for (; inst && ok; inst = LLVMGetNextInstruction(inst))
      ok = screen_inst(m, inst);
    ok = ok && screen_seq(m, &node->body[0]) && screen_seq(m, &node->body[1]);
  }
  return ok;
}

/* Append the instructions of BLOCK, of unit B; false: one of them can't be modelled. */
static bool list_block(struct reader *r, int b, LLVMBasicBlockRef block, bool inner)
{
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && !LLVMIsATerminatorInst(i); i = LLVMGetNextInstruction(i)) {
    struct val v = {.inst = i, .blk = b, .inner = inner, .out = -1, .phi = -1};
    v.role = tsr_inst_role(r->m, i, &v.reason);
    if (v.role == TSR_ROLE_REJECT && has_effect(i))
      return tsr_model_reject(r->m, v.reason, i, NULL);
    if (r->n_val == MAX_INSTS)
      return tsr_model_reject(r->m, TSR_REASON_Size, i, NULL);
    r->vals = realloc(r->vals, (r->n_val + 1) * sizeof(*r->vals));
    r->vals[r->n_val++] = v;
  }
  return true;
}

/* All instructions of the units, and the table to find them. */
static bool list_instructions(struct reader *r)
{
  bool ok = true;
  for (int b = 0; b < r->n_blk && ok; b++) {
    r->blks[b].first = r->n_val;
    ok = r->blks[b].to || list_block(r, b, r->blks[b].block, false);
    for (int i = 0; i < r->blks[b].inner.n && ok; i++)
      ok = list_block(r, b, r->blks[b].inner.block[i], true);
    r->blks[b].n = r->n_val - r->blks[b].first;
  }
  r->n_hash = 2 * r->n_val + 7;
  r->hash = malloc(r->n_hash * sizeof(*r->hash));
  memset(r->hash, -1, r->n_hash * sizeof(*r->hash));
  for (int i = 0; i < r->n_val; i++)
    r->hash[slot_of(r, r->vals[i].inst)] = i;
  return ok;
}

/* The same for what need not be the first thing in the way. In a run of nodes another culprit may split it elsewhere. */
static bool screen_quietly(struct tsr_model *m)
{
  return tsr_lift_screen(m) && (m->n_node > 1 || screen_conditions(m, m->nodes[0])) && tsr_model_screen(m);
}

bool tsr_reader_visit(struct reader *r)
{
  struct tsr_model *m = r->m;
  struct around around = {.n = 0};
  const struct tsr_seq seq = {m->nodes, m->n_node};
  if (!screen_seq(m, &seq) || (m->quiet && !screen_quietly(m)))
    return false;
  isl_set *all = tsr_params_universe(m);
  bool ok = visit_seq(r, &seq, all, &around);
  isl_set_free(all);
  for (int i = 0; i < m->errors.n && ok; i++)
    ok = is_own_error(m, m->errors.block[i]) || tsr_model_reject(m, TSR_REASON_Check, NULL, NULL);
  return ok && list_instructions(r);
}
