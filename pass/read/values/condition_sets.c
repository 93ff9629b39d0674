/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Conditions and trip counts as sets over parameters and counters. */
#include "read/values/values.h"
#include <isl/val.h>

bool tsr_predicate_is_unsigned(LLVMIntPredicate pred)
{
  return pred == LLVMIntUGT || pred == LLVMIntUGE || pred == LLVMIntULT || pred == LLVMIntULE;
}

/* Where PRED holds for A and B. Takes both. */
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

/* Do A and B compare one value with one constant, for equality? */
static bool are_alike(LLVMValueRef a, LLVMValueRef b)
{
  return LLVMIsAICmpInst(b) && LLVMGetOperand(a, 0) == LLVMGetOperand(b, 0) &&
         LLVMGetOperand(a, 1) == LLVMGetOperand(b, 1) &&
         (LLVMGetICmpPredicate(b) == LLVMIntEQ || LLVMGetICmpPredicate(b) == LLVMIntNE);
}

/* Is COND a question about a flag: is a value that M doesn't change equal to a constant, to which M compares it and with
 * which it does nothing else? Or is a pointer, whatever else it is for, null? */
static bool is_flag(struct tsr_model *m, LLVMValueRef cond)
{
  LLVMIntPredicate pred = LLVMGetICmpPredicate(cond);
  LLVMValueRef value = LLVMGetOperand(cond, 0), constant = LLVMGetOperand(cond, 1);
  bool null = LLVMIsAConstantPointerNull(constant) != NULL;
  bool flag = (pred == LLVMIntEQ || pred == LLVMIntNE) && (null || LLVMIsAConstantInt(constant)) &&
              (LLVMIsAInstruction(value) || LLVMIsAArgument(value)) && !tsr_model_in_region(m, value) &&
              tsr_can_hoist(m, cond, 0);
  for (LLVMUseRef use = flag && !null ? LLVMGetFirstUse(value) : NULL; use && flag; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    bool inside = LLVMIsAInstruction(user) && tsr_blocks_have(&m->blocks, LLVMGetInstructionParent(user));
    flag = !inside || are_alike(cond, user);
  }
  return flag;
}

/* Where COND, a question about a flag, holds. A truth value: where a number isn't equal to a constant is two sets, one on
 * each side. */
static isl_set *flag_set(struct tsr_model *m, LLVMValueRef cond)
{
  LLVMValueRef known = cond;
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].kind == TSR_ATOM_PARAM && m->atoms[i].value && are_alike(cond, m->atoms[i].value)) {
      known = m->atoms[i].value;
      break;
    }
  struct tsr_poly *p = tsr_poly_atom(tsr_atom_param(m, known));
  isl_pw_aff *value = tsr_poly_to_pw_aff(m, p), *zero = tsr_pw_aff_const(m, 0);
  tsr_poly_free(p);
  return LLVMGetICmpPredicate(known) == LLVMGetICmpPredicate(cond) ? isl_pw_aff_lt_set(value, zero)
                                                                   : isl_pw_aff_ge_set(value, zero);
}

/* Where the comparison COND holds; NULL if it isn't affine. */
static isl_set *icmp_set(struct tsr_model *m, LLVMValueRef cond, isl_set *domain, tsr_loop loop)
{
  LLVMIntPredicate pred = LLVMGetICmpPredicate(cond);
  isl_pw_aff *side[2];
  if (is_flag(m, cond))
    return flag_set(m, cond);
  if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(cond, 0))) == LLVMPointerTypeKind)
    return pointer_set(m, cond, domain, loop);
  for (int i = 0; i < 2; i++) {
    LLVMValueRef op = LLVMGetOperand(cond, i);
    tsr_scev s = LLVMGetTypeKind(LLVMTypeOf(op)) == LLVMIntegerTypeKind ? tsr_scev_at(m->a, op, loop) : NULL;
    struct tsr_poly *p = tsr_poly_of(m, s, tsr_predicate_is_unsigned(pred) ? TSR_UNSIGNED : TSR_SIGNED, domain, loop);
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
    struct tsr_poly *p = tsr_poly_of(m, s, tsr_predicate_is_unsigned(pred) ? TSR_UNSIGNED : TSR_SIGNED, domain, loop);
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
