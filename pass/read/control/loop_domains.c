/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Trip counts as sets over parameters and counters: those that scalar evolution knows, those of a comparison at the end of
 * the loop, if the counter is assumed not to wrap. */
#include "read/control/control.h"
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>

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

/* The comparison that LOOP goes on with, if it is one of a counter that grows up to a bound. */
static bool latch_read(struct tsr_model *m, tsr_loop loop, isl_set *domain, struct latch *latch)
{
  LLVMIntPredicate pred;
  if (!latch_compare(m->a, loop, &pred, &latch->left, &latch->right) ||
      (pred != LLVMIntULT && pred != LLVMIntULE && pred != LLVMIntSLT && pred != LLVMIntSLE))
    return false;
  latch->equal = pred == LLVMIntULE || pred == LLVMIntSLE;
  latch->sign = latch->start_sign = tsr_predicate_is_unsigned(pred) ? TSR_UNSIGNED : TSR_SIGNED;
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
  once = tsr_set_without(m, isl_set_intersect(once, isl_set_copy(domain)), m->violated);
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
