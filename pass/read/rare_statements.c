/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Statements that change nothing as a rule: each SCALAR array that one writes gets what it was, or what one of the others
 * was that it writes, unless a condition holds that asks about them:
 *
 *   max' = a[i] > max ? a[i] : max;  at' = a[i] > max ? i : at
 *
 * Its condition may be asked for an instance that never comes with these values (emit/rare_blocks.c): so it may not trap,
 * and addresses don't depend on what is written. Minima and maxima that LLVM makes vectors of by itself are left to it. */
#include "read/statement_traits.h"

#define MAX_CHOICES 4 /* one in the other */
#define MAX_WAY 10    /* instructions from what is read to what asks about it */

/* Is VALUE, of a statement, OLD as long as some conditions say so? */
static bool may_be(LLVMValueRef value, LLVMValueRef old, int depth)
{
  if (value == old)
    return true;
  return depth < MAX_CHOICES && LLVMIsASelectInst(value) &&
         LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(value, 0))) == LLVMIntegerTypeKind &&
         (may_be(LLVMGetOperand(value, 1), old, depth + 1) || may_be(LLVMGetOperand(value, 2), old, depth + 1));
}

/* Does S read SCALAR array ARRAY? */
static bool reads_array(const struct tsr_stmt_info *s, int array)
{
  bool reads = false;
  for (int i = 0; i < s->n_read; i++)
    reads |= s->read[i] == array;
  return reads;
}

LLVMValueRef tsr_stmt_kept(const struct tsr_model *m, const struct tsr_stmt_info *s, int w)
{
  const struct tsr_scalar_write *write = &s->write[w];
  LLVMValueRef old = NULL;
  for (int i = 0; i < s->n_write && !old; i++)
    if (s->write[i].value == write->value && reads_array(s, s->write[i].array) &&
        (i == w || !reads_array(s, write->array)) && may_be(write->value, m->arrays[s->write[i].array].origin, 0))
      old = m->arrays[s->write[i].array].origin;
  return old;
}

/* Does VALUE, in S, depend on SCALAR arrays that S writes? Of what is loaded, the address does not count. */
static bool asks(const struct tsr_model *m, const struct tsr_stmt_info *s, LLVMValueRef value, int depth)
{
  if (!tsr_model_in_region(m, value))
    return false;
  for (int i = 0; i < s->n_write; i++)
    if (m->arrays[s->write[i].array].origin == value)
      return reads_array(s, s->write[i].array);
  if (LLVMIsAPHINode(value) || LLVMIsALoadInst(value))
    return false;
  bool found = depth == MAX_WAY;
  for (int i = 0; i < LLVMGetNumOperands(value) && !found; i++)
    found = asks(m, s, LLVMGetOperand(value, (unsigned)i), depth + 1);
  return found;
}

/* Does a condition of the choices in VALUE ask about what S writes? */
static bool choice_asks(const struct tsr_model *m, const struct tsr_stmt_info *s, LLVMValueRef value, int depth)
{
  return depth < MAX_CHOICES && LLVMIsASelectInst(value) &&
         (asks(m, s, LLVMGetOperand(value, 0), 0) || choice_asks(m, s, LLVMGetOperand(value, 1), depth + 1) ||
          choice_asks(m, s, LLVMGetOperand(value, 2), depth + 1));
}

/* May INST be computed with other values of what S writes? */
static bool is_harmless(const struct tsr_model *m, const struct tsr_stmt_info *s, LLVMValueRef inst)
{
  switch (LLVMGetInstructionOpcode(inst)) {
  case LLVMSDiv:
  case LLVMUDiv:
  case LLVMSRem:
  case LLVMURem:
  case LLVMStore:
    return false;
  case LLVMLoad:
    return !asks(m, s, LLVMGetOperand(inst, 0), 0);
  case LLVMCall:
    return LLVMIsAIntrinsicInst(inst) && !tsr_call_effects(inst).writes && !tsr_call_effects(inst).reads;
  default:
    return true;
  }
}

/* Is VALUE a minimum or a maximum that LLVM knows: of integers, or of numbers whose zeros and NaNs don't matter? */
static bool is_plain_extreme(LLVMValueRef value)
{
  LLVMValueRef cond = LLVMIsASelectInst(value) ? LLVMGetOperand(value, 0) : NULL;
  if (!cond || !(LLVMIsAICmpInst(cond) || LLVMIsAFCmpInst(cond)))
    return false;
  LLVMValueRef x = LLVMGetOperand(cond, 0), y = LLVMGetOperand(cond, 1);
  LLVMValueRef a = LLVMGetOperand(value, 1), b = LLVMGetOperand(value, 2);
  if (!(a == x && b == y) && !(a == y && b == x))
    return false;
  const LLVMFastMathFlags free = LLVMFastMathNoNaNs | LLVMFastMathNoSignedZeros;
  return LLVMIsAICmpInst(cond) || (LLVMCanValueUseFastMathFlags(value) && (LLVMGetFastMathFlags(value) & free) == free);
}

/* Bits of predicates of floating-point numbers: is what is asked true of equal ones, greater, less, and of NaNs? */
enum { EQUAL = LLVMRealOEQ, GREATER = LLVMRealOGT, LESS = LLVMRealOLT, UNORDERED = LLVMRealUNO };

bool tsr_stmt_extreme(const struct tsr_model *m, const struct tsr_stmt_info *s, int w, struct tsr_extreme *extreme)
{
  LLVMValueRef value = s->write[w].value, old = tsr_stmt_kept(m, s, w),
               cond = LLVMIsASelectInst(value) ? LLVMGetOperand(value, 0) : NULL;
  if (!old || !cond || !LLVMIsAFCmpInst(cond) || LLVMGetTypeKind(LLVMTypeOf(cond)) != LLVMIntegerTypeKind)
    return false;
  LLVMValueRef x = LLVMGetOperand(cond, 0), y = LLVMGetOperand(cond, 1), other = x == old ? y : x;
  bool if_true = LLVMGetOperand(value, 2) == old;
  unsigned predicate = LLVMGetFCmpPredicate(cond), swapped = predicate & (EQUAL | UNORDERED);
  swapped |= (predicate & GREATER ? LESS : 0) | (predicate & LESS ? GREATER : 0);
  predicate = (x == old ? swapped : predicate) ^ (if_true ? 0 : LLVMRealPredicateTrue);
  bool less = predicate & LESS, greater = predicate & GREATER;
  if ((x == old) == (y == old) || LLVMGetOperand(value, if_true ? 1 : 2) != other ||
      LLVMGetOperand(value, if_true ? 2 : 1) != old || less == greater || asks(m, s, other, 0))
    return false;
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(old));
  *extreme = (struct tsr_extreme){old, other, cond, if_true, greater, predicate & UNORDERED};
  return kind == LLVMDoubleTypeKind || kind == LLVMFloatTypeKind;
}

bool tsr_model_is_rare(struct tsr_model *m, int stmt)
{
  const struct tsr_stmt_info *s = &m->stmts[stmt];
  bool rare = s->n_write > 0 && !s->inner.n && s->n_same == 0, asked = false, plain = true;
  for (int i = 0; i < m->n_access && rare; i++)
    rare = m->access[i].stmt != stmt || m->access[i].kind == TSR_READ;
  for (int i = 0; i < s->n_read && rare; i++)
    rare = !m->arrays[s->read[i]].home;
  for (int i = 0; i < s->n_write && rare; i++) {
    rare = !m->arrays[s->write[i].array].home && tsr_stmt_kept(m, s, i);
    asked |= choice_asks(m, s, s->write[i].value, 0);
    plain &= s->write[i].value == s->write[0].value && is_plain_extreme(s->write[i].value);
  }
  for (int i = 0; i < s->n_inst && rare; i++)
    rare = is_harmless(m, s, s->inst[i]);
  return rare && asked && !plain;
}
