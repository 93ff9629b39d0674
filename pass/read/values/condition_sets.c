/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Conditions and trip counts as sets over parameters and counters. */
#include "pass.h"
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>

static bool is_unsigned(LLVMIntPredicate pred)
{
  return pred == LLVMIntUGT || pred == LLVMIntUGE || pred == LLVMIntULT || pred == LLVMIntULE;
}

static isl_set *compare(LLVMIntPredicate pred, isl_pw_aff *a, isl_pw_aff *b)
{
  switch (pred) {
  case LLVMIntEQ:
    return isl_pw_aff_eq_set(a, b);
  case LLVMIntNE:
    return isl_pw_aff_ne_set(a, b);
  case LLVMIntUGT:
  case LLVMIntSGT:
    return isl_pw_aff_gt_set(a, b);
  case LLVMIntUGE:
  case LLVMIntSGE:
    return isl_pw_aff_ge_set(a, b);
  case LLVMIntULT:
  case LLVMIntSLT:
    return isl_pw_aff_lt_set(a, b);
  case LLVMIntULE:
  case LLVMIntSLE:
    return isl_pw_aff_le_set(a, b);
  }
  return NULL;
}

/* Are two pointers equal? Where the bytes between them are 0. */
static isl_set *pointer_set(struct tsr_model *m, LLVMValueRef cond, isl_set *domain, tsr_loop loop)
{
  LLVMIntPredicate pred = LLVMGetICmpPredicate(cond);
  struct tsr_poly *p = NULL;
  if (pred == LLVMIntEQ || pred == LLVMIntNE)
    p = tsr_pointer_distance(m, tsr_scev_at(m->a, LLVMGetOperand(cond, 0), loop),
                             tsr_scev_at(m->a, LLVMGetOperand(cond, 1), loop), domain, loop);
  isl_pw_aff *bytes = tsr_poly_to_pw_aff(m, p);
  tsr_poly_free(p);
  if (!bytes)
    return NULL;
  isl_pw_aff *zero = isl_pw_aff_sub(isl_pw_aff_copy(bytes), isl_pw_aff_copy(bytes));
  return compare(pred, bytes, zero);
}

static isl_set *icmp_set(struct tsr_model *m, LLVMValueRef cond, isl_set *domain, tsr_loop loop)
{
  LLVMIntPredicate pred = LLVMGetICmpPredicate(cond);
  isl_pw_aff *side[2];
  if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(cond, 0))) == LLVMPointerTypeKind)
    return pointer_set(m, cond, domain, loop);
  for (int i = 0; i < 2; i++) {
    LLVMValueRef op = LLVMGetOperand(cond, i);
    tsr_scev s = LLVMGetTypeKind(LLVMTypeOf(op)) == LLVMIntegerTypeKind ? tsr_scev_at(m->a, op, loop) : NULL;
    struct tsr_poly *p = tsr_poly_of(m, s, is_unsigned(pred) ? TSR_UNSIGNED : TSR_SIGNED, domain, loop);
    side[i] = tsr_poly_to_pw_aff(m, p);
    tsr_poly_free(p);
  }
  if (!side[0] || !side[1]) {
    isl_pw_aff_free(side[0]);
    isl_pw_aff_free(side[1]);
    return NULL;
  }
  return compare(pred, side[0], side[1]);
}

/* The i1 COND as the number 1. */
static isl_set *bit_set(struct tsr_model *m, LLVMValueRef cond, isl_set *domain, tsr_loop loop)
{
  struct tsr_poly *p = tsr_poly_of(m, tsr_scev_at(m->a, cond, loop), TSR_UNSIGNED, domain, loop);
  isl_pw_aff *bit = tsr_poly_to_pw_aff(m, p);
  tsr_poly_free(p);
  return bit ? isl_pw_aff_eq_set(bit, tsr_pw_aff_const(m, 1)) : NULL;
}

isl_set *tsr_condition_set(struct tsr_model *m, LLVMValueRef cond, isl_set *domain, tsr_loop loop)
{
  isl_set *all = tsr_params_universe(m);
  if (LLVMIsAConstantInt(cond))
    return LLVMConstIntGetZExtValue(cond) ? all : isl_set_subtract(all, isl_set_copy(all));
  isl_set_free(all);
  if (LLVMIsAICmpInst(cond))
    return icmp_set(m, cond, domain, loop);
  if (!LLVMIsAInstruction(cond))
    return NULL;
  LLVMOpcode op = LLVMGetInstructionOpcode(cond);
  if (op == LLVMTrunc)
    return bit_set(m, cond, domain, loop);
  if (op != LLVMAnd && op != LLVMOr && op != LLVMXor && op != LLVMSelect)
    return NULL;
  isl_set *a = tsr_condition_set(m, LLVMGetOperand(cond, 0), domain, loop);
  if (!a)
    return NULL;
  /* The second operand of a select is evaluated under the first alone; poison of the other arm doesn't matter. */
  isl_set *b = tsr_condition_set(m, LLVMGetOperand(cond, 1), domain, loop);
  if (!b)
    return isl_set_free(a);
  if (op == LLVMAnd)
    return isl_set_intersect(a, b);
  if (op == LLVMOr)
    return isl_set_union(a, b);
  if (op == LLVMXor) {
    isl_set *both = isl_set_intersect(isl_set_copy(a), isl_set_copy(b));
    return isl_set_subtract(isl_set_union(a, b), both);
  }
  isl_set *c = tsr_condition_set(m, LLVMGetOperand(cond, 2), domain, loop);
  if (!c) {
    isl_set_free(b);
    return isl_set_free(a);
  }
  b = isl_set_intersect(b, isl_set_copy(a));
  return isl_set_union(b, isl_set_subtract(c, a));
}

isl_set *tsr_invariant_edge(struct tsr_model *m, LLVMValueRef branch)
{
  if (LLVMGetInstructionOpcode(branch) != LLVMBr || !LLVMIsConditional(branch) ||
      !tsr_can_hoist(m, LLVMGetCondition(branch), 0))
    return NULL;
  struct tsr_poly *p = tsr_poly_atom(tsr_atom_param(m, LLVMGetCondition(branch)));
  isl_pw_aff *value = tsr_poly_to_pw_aff(m, p);
  tsr_poly_free(p);
  return value ? isl_pw_aff_lt_set(value, tsr_pw_aff_const(m, 0)) : NULL;
}

bool tsr_condition_assume_not(struct tsr_model *m, LLVMValueRef cond, bool failed, isl_set *domain, tsr_loop loop)
{
  isl_pw_aff *lo[2], *hi[2];
  int n = 0;
  if (!LLVMIsAICmpInst(cond) || LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(cond, 0))) != LLVMIntegerTypeKind)
    return false;
  LLVMIntPredicate pred = LLVMGetICmpPredicate(cond);
  if (pred == LLVMIntEQ || pred == LLVMIntNE)
    return false;
  for (; n < 2; n++) {
    tsr_scev s = tsr_scev_at(m->a, LLVMGetOperand(cond, n), loop);
    struct tsr_poly *p = tsr_poly_of(m, s, is_unsigned(pred) ? TSR_UNSIGNED : TSR_SIGNED, domain, loop);
    bool ok = p && tsr_poly_bounds(m, p, domain, &lo[n], &hi[n]);
    tsr_poly_free(p);
    if (!ok)
      break;
  }
  bool greater = pred == LLVMIntUGT || pred == LLVMIntUGE || pred == LLVMIntSGT || pred == LLVMIntSGE;
  isl_set *bad = NULL;
  if (n == 2) { /* where it may be what it must not be */
    isl_pw_aff **left = greater == failed ? hi : lo, **right = greater == failed ? lo : hi;
    bad = compare(pred, isl_pw_aff_copy(left[0]), isl_pw_aff_copy(right[1]));
    bad = failed ? bad : isl_set_complement(bad);
  }
  while (n-- > 0) {
    isl_pw_aff_free(lo[n]);
    isl_pw_aff_free(hi[n]);
  }
  return bad && tsr_model_assume_not(m, isl_set_copy(domain), bad);
}

LLVMValueRef tsr_branch_condition(LLVMBasicBlockRef block)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
  bool branches = LLVMGetInstructionOpcode(end) == LLVMSwitch || LLVMIsConditional(end);
  return branches ? LLVMGetOperand(end, 0) : NULL;
}

/* Where a switch takes successor I: the case's value, or for 0, the default, none of all. */
static isl_set *switch_set(struct tsr_model *m, LLVMValueRef branch, unsigned i, isl_set *domain, tsr_loop loop)
{
  tsr_scev s = tsr_scev_at(m->a, LLVMGetOperand(branch, 0), loop);
  struct tsr_poly *p = tsr_poly_of(m, s, TSR_SIGNED, domain, loop);
  isl_pw_aff *value = tsr_poly_to_pw_aff(m, p);
  tsr_poly_free(p);
  if (!value)
    return NULL;
  isl_set *cases = NULL;
  for (unsigned k = i ? i : 1; k < (i ? i + 1 : LLVMGetNumSuccessors(branch)); k++) {
    LLVMValueRef number = LLVMGetSwitchCaseValue(branch, k);
    if (LLVMGetIntTypeWidth(LLVMTypeOf(number)) > 64) {
      isl_set_free(cases);
      isl_pw_aff_free(value);
      return NULL;
    }
    isl_val *v = isl_val_int_from_si(m->ctx, LLVMConstIntGetSExtValue(number));
    isl_pw_aff *constant = isl_pw_aff_val_on_domain(tsr_params_universe(m), v);
    isl_set *one = isl_pw_aff_eq_set(isl_pw_aff_copy(value), constant);
    cases = cases ? isl_set_union(cases, one) : one;
  }
  isl_pw_aff_free(value);
  if (i)
    return cases;
  isl_set *all = tsr_params_universe(m);
  return cases ? isl_set_subtract(all, cases) : all;
}

isl_set *tsr_edge_set(struct tsr_model *m, LLVMValueRef branch, unsigned i, isl_set *domain, tsr_loop loop)
{
  if (LLVMGetInstructionOpcode(branch) == LLVMSwitch)
    return switch_set(m, branch, i, domain, loop);
  if (!LLVMIsConditional(branch))
    return tsr_params_universe(m);
  isl_set *yes = tsr_condition_set(m, LLVMGetCondition(branch), domain, loop);
  return i && yes ? isl_set_subtract(tsr_params_universe(m), yes) : yes;
}

/* DOMAIN and 0 <= counter of LOOP <= LAST. Takes all but LOOP. */
static isl_set *up_to(struct tsr_model *m, tsr_loop loop, isl_set *domain, isl_pw_aff *last)
{
  isl_id *id = isl_id_alloc(m->ctx, tsr_dim_name(m, loop), NULL);
  isl_space *space = isl_space_add_param_id(isl_space_params_alloc(m->ctx, 0), isl_id_copy(id));
  isl_pw_aff *counter = isl_pw_aff_from_aff(isl_aff_param_on_domain_space_id(space, id));
  isl_set *range = isl_pw_aff_nonneg_set(isl_pw_aff_copy(counter));
  range = isl_set_intersect(range, isl_pw_aff_le_set(counter, last));
  return isl_set_coalesce(isl_set_intersect(domain, range));
}

/* The comparison LEFT < RIGHT, or <= if EQUAL, that lets a loop go on: LEFT is a counter that grows by STEP from START, with
 * START_SIGN, which may be extended to the width of the comparison. */
struct latch {
  tsr_scev left, start, right;
  int64_t step;
  bool equal;
  enum tsr_sign sign, start_sign;
};

/* The partner of PRED in PAIRS, four; EQ if it has none. */
static LLVMIntPredicate other_of(const LLVMIntPredicate pairs[][2], LLVMIntPredicate pred)
{
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 2; k++)
      if (pairs[i][k] == pred)
        return pairs[i][!k];
  return LLVMIntEQ;
}

/* The comparison that LOOP goes on with: *PRED of LEFT and RIGHT, which the loop doesn't change. */
static bool latch_compare(struct tsr_analyses *a, tsr_loop loop, LLVMIntPredicate *pred, tsr_scev *left, tsr_scev *right)
{
  static const LLVMIntPredicate pairs[][2] = {{LLVMIntULT, LLVMIntUGE},
                                              {LLVMIntUGT, LLVMIntULE},
                                              {LLVMIntSLT, LLVMIntSGE},
                                              {LLVMIntSGT, LLVMIntSLE}}; /* each the contrary of the other */
  static const LLVMIntPredicate turned[][2] = {
      {LLVMIntULT, LLVMIntUGT}, {LLVMIntULE, LLVMIntUGE}, {LLVMIntSLT, LLVMIntSGT}, {LLVMIntSLE, LLVMIntSGE}};
  LLVMBasicBlockRef block = tsr_loop_latch(loop);
  LLVMValueRef cond = tsr_branch_condition(block);
  if (!cond || !LLVMIsAICmpInst(cond) || LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(cond, 0))) != LLVMIntegerTypeKind)
    return false;
  *pred = LLVMGetICmpPredicate(cond);
  if (LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), 0) != tsr_loop_header(loop))
    *pred = other_of(pairs, *pred);
  *left = tsr_scev_at(a, LLVMGetOperand(cond, 0), loop);
  *right = tsr_scev_at(a, LLVMGetOperand(cond, 1), loop);
  if (*left && *right && tsr_scev_is_invariant(a, *left, loop)) {
    tsr_scev s = *left;
    *left = *right;
    *right = s;
    *pred = other_of(turned, *pred);
  }
  return *left && *right && tsr_scev_is_invariant(a, *right, loop);
}

/* S is a parameter, which is assumed to be 1: the step of a loop that runs over arrays of any stride. */
static bool assume_one(struct tsr_model *m, tsr_scev s, isl_set *domain, tsr_loop loop)
{
  struct tsr_poly *p = tsr_poly_of(m, s, TSR_SIGNED, domain, tsr_loop_parent(loop));
  bool is_param = p && p->n == 1 && p->term[0].degree == 1 && p->term[0].coef == 1 &&
                  m->atoms[p->term[0].atom[0]].kind == TSR_ATOM_PARAM;
  isl_set *other = is_param ? isl_pw_aff_ne_set(tsr_poly_to_pw_aff(m, p), tsr_pw_aff_const(m, 1)) : NULL;
  tsr_poly_free(p);
  return other && tsr_model_assume_not(m, isl_set_copy(domain), other);
}

static bool latch_read(struct tsr_model *m, tsr_loop loop, isl_set *domain, struct latch *latch)
{
  LLVMIntPredicate pred;
  if (!latch_compare(m->a, loop, &pred, &latch->left, &latch->right) ||
      (pred != LLVMIntULT && pred != LLVMIntULE && pred != LLVMIntSLT && pred != LLVMIntSLE))
    return false;
  latch->equal = pred == LLVMIntULE || pred == LLVMIntSLE;
  latch->sign = latch->start_sign = is_unsigned(pred) ? TSR_UNSIGNED : TSR_SIGNED;
  tsr_scev counter = latch->left;
  if (tsr_scev_kind(counter) == TSR_SCEV_ZEXT || tsr_scev_kind(counter) == TSR_SCEV_SEXT) {
    latch->start_sign = tsr_scev_kind(counter) == TSR_SCEV_ZEXT ? TSR_UNSIGNED : TSR_SIGNED;
    counter = tsr_scev_operand(counter, 0);
  }
  if (tsr_scev_kind(counter) != TSR_SCEV_ADDREC || tsr_scev_loop(counter) != loop || tsr_scev_n_operand(counter) != 2)
    return false;
  tsr_scev step = tsr_scev_operand(counter, 1);
  if (!tsr_scev_constant(step, &latch->step)) {
    if (!assume_one(m, step, domain, loop))
      return false;
    latch->step = 1;
  }
  if (latch->step <= 0 || latch->step > INT32_MAX)
    return false;
  latch->start = tsr_scev_operand(counter, 0);
  return latch->start_sign == TSR_UNSIGNED || latch->sign == TSR_SIGNED;
}

/* The same as tsr_loop_domain where scalar evolution knows no trip count because the counter might wrap before it gets to
 * the bound, and the loop never end: an unsigned counter and a size_t. Assumed not to. Nor where the step is a parameter: it
 * is assumed to be 1. Takes DOMAIN. */
static isl_set *domain_by_latch(struct tsr_model *m, tsr_loop loop, isl_set *domain)
{
  struct latch latch;
  if (!latch_read(m, loop, domain, &latch))
    return isl_set_free(domain);
  tsr_loop parent = tsr_loop_parent(loop);
  struct tsr_poly *start = tsr_poly_of(m, latch.start, latch.start_sign, domain, parent);
  struct tsr_poly *right = start ? tsr_poly_of(m, latch.right, latch.sign, domain, parent) : NULL;
  struct tsr_poly *way = tsr_poly_add(tsr_poly_sub(right, start), tsr_poly_const(latch.equal));
  isl_pw_aff *last = tsr_poly_to_pw_aff(m, way);
  tsr_poly_free(way);
  if (!last)
    return isl_set_free(domain);
  last = isl_pw_aff_ceil(isl_pw_aff_scale_down_val(last, isl_val_int_from_si(m->ctx, latch.step)));
  isl_set *once = isl_pw_aff_lt_set(isl_pw_aff_copy(last), tsr_pw_aff_const(m, 0));
  once = isl_set_subtract(isl_set_intersect(once, isl_set_copy(domain)), isl_set_copy(m->violated));
  if (isl_set_is_empty(once) != isl_bool_true) /* nothing in front of the loop excludes it */
    last = isl_pw_aff_max(last, tsr_pw_aff_const(m, 0));
  isl_set_free(once);
  isl_set *inner = up_to(m, loop, domain, last);
  struct tsr_poly *left = tsr_poly_of(m, latch.left, latch.sign, inner, loop); /* no number is out of its range */
  if (!left)
    return isl_set_free(inner);
  tsr_poly_free(left);
  return inner;
}

isl_set *tsr_loop_domain(struct tsr_model *m, tsr_loop loop, isl_set *domain)
{
  tsr_scev count = tsr_scev_backedge_count(m->a, loop);
  struct tsr_poly *p = tsr_poly_of(m, count, TSR_UNSIGNED, domain, tsr_loop_parent(loop));
  isl_pw_aff *last = tsr_poly_to_pw_aff(m, p);
  tsr_poly_free(p);
  if (!last) { /* a product of parameters, perhaps */
    p = tsr_poly_invariant(m, count, TSR_UNSIGNED, domain);
    last = tsr_poly_to_pw_aff(m, p);
    tsr_poly_free(p);
  }
  return last ? up_to(m, loop, domain, last) : domain_by_latch(m, loop, domain);
}

bool tsr_loop_has_no_domain(struct tsr_analyses *a, tsr_loop loop)
{
  LLVMIntPredicate pred;
  tsr_scev left, right;
  return !tsr_scev_backedge_count(a, loop) && !latch_compare(a, loop, &pred, &left, &right);
}
