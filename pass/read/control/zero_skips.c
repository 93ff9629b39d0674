/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Zero skips: conditions that keep a loop from adding multiples of zero, or from multiplying by one.
 *
 *   for l: if (b[l][j] != 0) for i: c[j][i] += b[l][j] * a[l][i]     ->     for l: for i: c[j][i] += b[l][j] * a[l][i]
 *
 * The model on the right is the one of the original if no element is zero, as in most data. What the condition reads, which
 * must not be what the SCoP has written, is tested in front of the SCoP (emit/skip_tests.c): at the first zero the original
 * runs. The test costs one iteration of the skipped loop. It reads nothing that the original would not: nothing in the SCoP
 * can keep control from coming to the condition.
 *
 * What is compared may be computed from what is loaded, in one of several ways, too, of which parameters choose one:
 *
 *   t = alpha;  if (!unit) t *= a[k][k];  if (t != 1) for i: b[k][i] *= t
 *
 * Each way is a test of its own, where the parameters choose it.
 *
 * Conditions around other loops, and those that ask for what the SCoP has written, as in a triangular solve, go to the
 * statements in these (control_units.c), which may then run for nothing, each under a mask. They are tested in the same way:
 * at how many of the points do they hold? */
#include "read/control/control.h"
#include <isl/ast.h>
#include <isl/space.h>
#include <stdlib.h>

#define MAX_WAYS 4
#define MAX_DEPTH 4

/* Is VALUE known to be what adding, or multiplying by, changes nothing? */
static bool is_neutral(LLVMValueRef value)
{
  LLVMBool loses;
  return LLVMIsAConstantFP(value) &&
         (LLVMConstRealGetDouble(value, &loses) == 0 || LLVMConstRealGetDouble(value, &loses) == 1);
}

/* Is VALUE a load that can be done anew inside LOOP? */
static bool is_loaded(struct tsr_model *m, LLVMValueRef value, tsr_loop loop)
{
  enum tsr_reason reason;
  return LLVMIsALoadInst(value) && tsr_model_in_region(m, value) && tsr_inst_role(m, value, &reason) == TSR_ROLE_LOAD &&
         tsr_can_remat(m, LLVMGetOperand(value, 0), loop);
}

/* Is VALUE computed from what can be loaded anew inside LOOP, by few operations; a phi of LOOP's body, of which parameters
 * may choose one, too? */
static bool is_computed(struct tsr_model *m, LLVMValueRef value, tsr_loop loop, int depth)
{
  if (!LLVMIsAInstruction(value) || !tsr_model_in_region(m, value))
    return LLVMIsAConstantFP(value) || LLVMIsAArgument(value) || LLVMIsAInstruction(value);
  if (is_loaded(m, value, loop))
    return true;
  LLVMOpcode op = LLVMGetInstructionOpcode(value);
  int n = op == LLVMPHI                                                          ? (int)LLVMCountIncoming(value)
          : op == LLVMFMul || op == LLVMFAdd || op == LLVMFSub || op == LLVMFNeg ? LLVMGetNumOperands(value)
                                                                                 : 0;
  bool inside = op != LLVMPHI || (n <= MAX_WAYS && tsr_loop_for(m->a, LLVMGetInstructionParent(value)) == loop &&
                                  LLVMGetInstructionParent(value) != tsr_loop_header(loop));
  for (int i = 0; i < n && inside; i++) {
    LLVMValueRef operand = op == LLVMPHI ? LLVMGetIncomingValue(value, (unsigned)i) : LLVMGetOperand(value, (unsigned)i);
    inside = depth < MAX_DEPTH && is_computed(m, operand, loop, depth + 1);
  }
  return n > 0 && inside;
}

/* Is COND, a choice, an and (ALL) or an or of two conditions, of which the second is computed in any case? */
static bool is_choice_of(LLVMValueRef cond, bool all, LLVMValueRef *other)
{
  if (LLVMGetInstructionOpcode(cond) != LLVMSelect)
    return false;
  LLVMValueRef fixed = LLVMGetOperand(cond, all ? 2 : 1);
  *other = LLVMGetOperand(cond, all ? 1 : 2);
  return LLVMIsAConstantInt(fixed) && LLVMGetIntTypeWidth(LLVMTypeOf(fixed)) == 1 && LLVMIsNull(fixed) == all;
}

/* Says COND, if it is WHEN, that some number is not zero, or not one (NaN is neither)? */
static bool says_other(struct tsr_model *m, LLVMValueRef cond, bool when, tsr_loop loop, int depth)
{
  if (!LLVMIsAInstruction(cond) || depth > MAX_DEPTH)
    return false;
  if (LLVMGetInstructionOpcode(cond) == (when ? LLVMOr : LLVMAnd))
    return says_other(m, LLVMGetOperand(cond, 0), when, loop, depth + 1) &&
           says_other(m, LLVMGetOperand(cond, 1), when, loop, depth + 1);
  LLVMValueRef other = NULL;
  if (is_choice_of(cond, !when, &other))
    return says_other(m, LLVMGetOperand(cond, 0), when, loop, depth + 1) && says_other(m, other, when, loop, depth + 1);
  if (LLVMIsAZExtInst(cond))
    return says_other(m, LLVMGetOperand(cond, 0), when, loop, depth + 1);
  if (LLVMIsAICmpInst(cond) && LLVMIsAConstantInt(LLVMGetOperand(cond, 1)) && LLVMIsNull(LLVMGetOperand(cond, 1)) &&
      (LLVMGetICmpPredicate(cond) == LLVMIntEQ || LLVMGetICmpPredicate(cond) == LLVMIntNE))
    return says_other(m, LLVMGetOperand(cond, 0), when == (LLVMGetICmpPredicate(cond) == LLVMIntNE), loop, depth + 1);
  return LLVMIsAFCmpInst(cond) && LLVMGetFCmpPredicate(cond) == (when ? LLVMRealUNE : LLVMRealOEQ) &&
         LLVMIsAInstruction(LLVMGetOperand(cond, 0)) && is_computed(m, LLVMGetOperand(cond, 0), loop, 0) &&
         is_neutral(LLVMGetOperand(cond, 1));
}

/* Add the phis that VALUE is computed from to those of PHIS, all of one block. False: there are too many, or others. */
static bool find_phis(struct tsr_model *m, LLVMValueRef value, struct tsr_skip_phis *phis)
{
  if (!LLVMIsAInstruction(value) || !tsr_model_in_region(m, value) || LLVMIsALoadInst(value))
    return true;
  if (LLVMIsAPHINode(value)) {
    for (int i = 0; i < phis->n; i++)
      if (phis->phi[i] == value)
        return true;
    if (phis->n == TSR_MAX_SKIP_PHIS ||
        (phis->n && LLVMGetInstructionParent(phis->phi[0]) != LLVMGetInstructionParent(value)))
      return false;
    phis->phi[phis->n++] = value;
    return true;
  }
  for (int i = 0; i < LLVMGetNumOperands(value); i++)
    if (!find_phis(m, LLVMGetOperand(value, (unsigned)i), phis))
      return false;
  return true;
}

struct tsr_skip_phis tsr_find_skip_phis(struct tsr_model *m, const struct tsr_node *node)
{
  struct tsr_skip_phis phis = {.n = 0};
  find_phis(m, tsr_branch_condition(node->block), &phis);
  return phis;
}

bool tsr_has_innermost_loops(const struct tsr_seq *seq)
{
  for (int i = 0; i < seq->n; i++)
    for (int k = 0; k < 2 && tsr_node_has_loop(seq->nodes[i]); k++)
      if (tsr_seq_has_loop(&seq->nodes[i]->body[k]) &&
          (seq->nodes[i]->kind == TSR_NODE_LOOP || !tsr_has_innermost_loops(&seq->nodes[i]->body[k])))
        return false;
  return tsr_seq_has_loop(seq);
}

/* Is COND one of those that M may not assume? */
static bool is_changing(const struct tsr_model *m, LLVMValueRef cond)
{
  bool found = false;
  for (int i = 0; i < m->n_changing; i++)
    found |= m->changing[i] == cond;
  return found;
}

int tsr_skip_arm(struct tsr_model *m, const struct tsr_node *node)
{
  LLVMValueRef cond = tsr_branch_condition(node->block);
  int arm = node->body[0].n ? 0 : 1;
  bool skips =
      m->exact && node->loop && !is_changing(m, cond) && tsr_has_innermost_loops(&node->body[arm]) && !node->body[!arm].n;
  struct tsr_skip_phis phis = {.n = 0};
  skips = skips && m->n_skip + MAX_WAYS <= TSR_MAX_SKIPS && says_other(m, cond, !arm, node->loop, 0) &&
          find_phis(m, cond, &phis);
  return skips ? arm : -1;
}

/* Can VALUE be computed in front of the SCoP as it is inside LOOP, from what is loaded there? */
static bool is_testable(struct tsr_model *m, LLVMValueRef value, tsr_loop loop, int depth)
{
  if (!LLVMIsAInstruction(value) || !tsr_model_in_region(m, value) || is_loaded(m, value, loop))
    return true;
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMICmp:
  case LLVMFCmp:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMSelect:
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMFAdd:
  case LLVMFSub:
  case LLVMFMul:
  case LLVMFNeg:
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMSExt:
  case LLVMFPExt:
  case LLVMFPTrunc:
  case LLVMSIToFP:
  case LLVMUIToFP:
    break;
  default:
    return false;
  }
  bool all = depth < MAX_DEPTH;
  for (int i = 0; i < LLVMGetNumOperands(value) && all; i++)
    all = is_testable(m, LLVMGetOperand(value, (unsigned)i), loop, depth + 1);
  return all;
}

int tsr_often_arm(struct tsr_model *m, const struct tsr_node *node)
{
  int arm = node->body[0].n ? 0 : 1;
  LLVMValueRef cond = tsr_branch_condition(node->block);
  bool may = m->exact && cond && LLVMIsABranchInst(LLVMGetBasicBlockTerminator(node->block)) && node->loop &&
             !node->body[!arm].n && tsr_has_innermost_loops(&node->body[arm]) && m->n_skip < TSR_MAX_SKIPS;
  return may && is_testable(m, cond, node->loop, 0) ? arm : -1;
}

void tsr_skip_add(struct tsr_model *m, const struct tsr_node *node, int arm, bool often, isl_set *domain,
                  const tsr_loop *loops, int n, const struct tsr_same *same, int n_same)
{
  m->skip = realloc(m->skip, (m->n_skip + 1) * sizeof(*m->skip));
  struct tsr_skip *skip = &m->skip[m->n_skip++];
  *skip = (struct tsr_skip){.cond = tsr_branch_condition(node->block), .when = !arm, .often = often, .node = node};
  skip->at = (struct tsr_stmt_info){.block = node->block, .n_loop = n, .domain = isl_set_copy(domain)};
  skip->at.loops = malloc((n + 1) * sizeof(*loops));
  for (int i = 0; i < n; i++)
    skip->at.loops[i] = loops[i];
  if (n_same > 0)
    skip->at.same = malloc(n_same * sizeof(*skip->at.same));
  for (int i = 0; i < n_same; i++)
    skip->at.same[skip->at.n_same++] = same[i];
}

/* DOMAIN, over parameters and counters, for any values of the counters of other loops than those of AT. Takes DOMAIN. */
static isl_set *project_others(struct tsr_model *m, isl_set *domain, const struct tsr_stmt_info *at)
{
  for (int i = 0; i < m->n_atom; i++) {
    bool around = m->atoms[i].kind != TSR_ATOM_DIM;
    for (int k = 0; k < at->n_loop && !around; k++)
      around = at->loops[k] == m->atoms[i].loop;
    int pos = around ? -1 : isl_set_find_dim_by_name(domain, isl_dim_param, m->atoms[i].name);
    if (pos >= 0)
      domain = isl_set_project_out(domain, isl_dim_param, pos, 1);
  }
  return domain;
}

/* SKIP need not be tested where nothing would be skipped. */
static void restrict_to_use(struct tsr_model *m, struct tsr_skip *skip)
{
  isl_set *used = isl_set_empty(isl_set_get_space(skip->at.domain));
  for (int i = 0; i < m->n_stmt; i++)
    if (m->stmts[i].block != skip->at.block && tsr_node_contains(skip->node, m->stmts[i].block))
      used = isl_set_union(used, project_others(m, isl_set_copy(m->stmts[i].domain), &skip->at));
  skip->at.domain = isl_set_coalesce(isl_set_intersect(skip->at.domain, isl_set_coalesce(used)));
}

/* Is ACCESS a load from where LOAD does? */
static bool is_same_place(const struct tsr_raw_access *access, LLVMValueRef load)
{
  return LLVMIsALoadInst(access->inst) && LLVMGetOperand(access->inst, 0) == LLVMGetOperand(load, 0);
}

/* Does ACCESS read what was there in front of the SCoP? */
static bool reads_old(struct tsr_model *m, const struct tsr_raw_access *access)
{
  int at = m->stmts[access->stmt].n_read;
  if (!m->arrays[access->array].written)
    return true;
  for (const struct tsr_raw_access *before = m->access; before < access; before++)
    at += before->stmt == access->stmt;
  return tsr_scop_reads_old(m->scop, access->stmt, at) == isl_bool_true;
}

/* Is LOAD, wherever SKIP is tested, one of the model's own reads, of what was there in front of the SCoP? Then overlaps with
 * what is written are looked for. What but often is so may have changed by then. */
static bool is_kept(struct tsr_model *m, const struct tsr_skip *skip, LLVMValueRef load)
{
  isl_set *missing = tsr_set_without(m, isl_set_copy(skip->at.domain), m->violated);
  bool kept = true;
  for (int i = 0; i < m->n_access; i++) {
    const struct tsr_raw_access *access = &m->access[i];
    if (!is_same_place(access, load) || access->stmt < 0)
      continue;
    kept = kept && !m->arrays[access->array].rows && access->offset && (skip->often || reads_old(m, access));
    missing = isl_set_subtract(missing, project_others(m, isl_set_copy(m->stmts[access->stmt].domain), &skip->at));
  }
  missing = isl_set_intersect_params(missing, isl_set_copy(m->scop->context));
  kept &= isl_set_is_empty(missing) == isl_bool_true;
  isl_set_free(missing);
  return kept;
}

/* The same for all loads of VALUE, the condition of SKIP. */
static bool are_kept(struct tsr_model *m, const struct tsr_skip *skip, LLVMValueRef value)
{
  value = tsr_stmt_value(&skip->at, value);
  if (LLVMIsALoadInst(value))
    return is_kept(m, skip, value);
  if (!LLVMIsAInstruction(value) || !tsr_model_in_region(m, value))
    return true;
  for (int i = 0; i < LLVMGetNumOperands(value); i++)
    if (LLVMIsAInstruction(LLVMGetOperand(value, i)) && !are_kept(m, skip, LLVMGetOperand(value, i)))
      return false;
  return true;
}

/* Could something keep control from coming to a condition of M, or depend on what isn't tested yet? Functions of the
 * compiler's library that multiply and divide always come back. */
static bool is_in_doubt(const struct tsr_model *m)
{
  for (int i = 0; i < m->n_array; i++)
    if (m->arrays[i].rows)
      return true;
  for (int b = 0; b < m->blocks.n; b++)
    for (LLVMValueRef i = LLVMGetFirstInstruction(m->blocks.block[b]); i; i = LLVMGetNextInstruction(i))
      if (LLVMIsACallInst(i) && !LLVMGetIntrinsicID(LLVMGetCalledValue(i)) && !tsr_is_complex_helper(i))
        return true;
  return m->has_errno || m->errors.n > 0;
}

bool tsr_skips_hold(struct tsr_model *m)
{
  LLVMValueRef wrong = NULL;
  bool doubt = m->n_skip > 0 && is_in_doubt(m);
  for (int i = 0; i < m->n_skip; i++) {
    const struct tsr_skip *skip = &m->skip[i];
    restrict_to_use(m, &m->skip[i]);
    if (!doubt && are_kept(m, skip, skip->cond))
      continue;
    wrong = wrong ? wrong : skip->cond;
    if (!doubt && !skip->often && !is_changing(m, skip->cond) && m->n_changing < TSR_MAX_SKIPS)
      m->changing[m->n_changing++] = skip->cond;
  }
  return !wrong || tsr_model_reject(m, TSR_REASON_Condition, wrong, NULL);
}

/* Does the loop AT->loops[L] move along rows of what LOAD reads? */
static bool is_along_rows(struct tsr_model *m, const struct tsr_stmt_info *at, int l, LLVMValueRef value)
{
  bool found = false;
  value = tsr_stmt_value(at, value);
  if (!LLVMIsAInstruction(value))
    return false;
  for (int i = 0; i < m->n_access && LLVMIsALoadInst(value) && !found; i++) {
    const struct tsr_raw_access *access = &m->access[i];
    const struct tsr_poly *inner =
        is_same_place(access, value) && access->index ? access->index[m->arrays[access->array].n_dim - 1] : NULL;
    for (int t = 0; inner && t < inner->n; t++)
      for (int k = 0; k < inner->term[t].degree; k++)
        found |=
            m->atoms[inner->term[t].atom[k]].kind == TSR_ATOM_DIM && m->atoms[inner->term[t].atom[k]].loop == at->loops[l];
  }
  for (int i = 0; i < LLVMGetNumOperands(value) && !LLVMIsALoadInst(value) && !found; i++)
    found = LLVMIsAInstruction(LLVMGetOperand(value, i)) && is_along_rows(m, at, l, LLVMGetOperand(value, i));
  return found;
}

isl_map *tsr_skip_order(struct tsr_model *m, const struct tsr_skip *skip)
{
  isl_map *domain = isl_map_from_range(isl_set_from_params(isl_set_copy(skip->at.domain)));
  isl_set *points = isl_map_range(tsr_counters_to_dims(m, domain, &skip->at, isl_dim_out));
  points = isl_set_set_tuple_name(points, TSR_SKIP_POINT);
  isl_space *space = isl_space_from_domain(isl_set_get_space(points));
  isl_map *order = isl_map_universe(isl_space_add_dims(space, isl_dim_out, skip->at.n_loop));
  int to = 0;
  for (int rows = 0; rows < 2; rows++)
    for (int l = 0; l < skip->at.n_loop; l++)
      if (is_along_rows(m, &skip->at, l, skip->cond) == rows)
        order = isl_map_equate(order, isl_dim_in, l, isl_dim_out, to++);
  return isl_map_intersect_domain(order, points);
}

void tsr_skips_clear(struct tsr_model *m)
{
  for (int i = 0; i < m->n_skip; i++) {
    tsr_stmt_clear(&m->skip[i].at);
    isl_ast_node_free(m->skip[i].ast);
  }
  free(m->skip);
}
