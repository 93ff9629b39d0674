/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Phis of loops that are no counters, but whose values counters tell:
 *
 *   before = n - 1;  for (i = 0; i < n; i++) { .. x[before] ..; before = i; }       k > 0 ? what i was then : n - 1
 *   x = 0;           for (i = 0; i < n; i++) { .. x ..; x += 0.25f; }               0.25 * k + 0, exactly
 *
 * where k counts the iterations. The first kind, of numbers that come around later, may have another before it: of the last
 * iteration but one. Sums of floating-point constants are meant as long as none of them is rounded: start and step are
 * multiples of a power of two, and no sum is too large a multiple of that. Their zeros are positive, as a difference is. */
#include "read/read.h"
#include "read/values/values.h"
#include <math.h>

#define MOST_BEFORE 4       /* phis one behind the other */
#define LEAST_UNIT 0x1p-100 /* no multiple of it is so small that it might be flushed to zero */

/* The operands of PHI, in the header of its loop, from outside and from the last iteration. False: it is no such phi. */
static bool sides_of(struct tsr_model *m, LLVMValueRef phi, LLVMValueRef *start, LLVMValueRef *next)
{
  tsr_loop loop = tsr_loop_for(m->a, LLVMGetInstructionParent(phi));
  if (!loop || tsr_loop_header(loop) != LLVMGetInstructionParent(phi) || LLVMCountIncoming(phi) != 2)
    return false;
  *start = *next = NULL;
  for (unsigned i = 0; i < 2; i++)
    *(tsr_loop_contains(loop, LLVMGetIncomingBlock(phi, i)) ? next : start) = LLVMGetIncomingValue(phi, i);
  return *start && *next;
}

bool tsr_phi_is_counter(struct tsr_model *m, LLVMValueRef phi, LLVMValueRef *start, tsr_scev *step)
{
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(phi));
  tsr_loop loop = tsr_loop_for(m->a, LLVMGetInstructionParent(phi));
  if ((kind != LLVMIntegerTypeKind && kind != LLVMPointerTypeKind) || !loop ||
      tsr_loop_header(loop) != LLVMGetInstructionParent(phi) || LLVMCountIncoming(phi) != 2)
    return false;
  tsr_scev s = tsr_scev_of(m->a, phi);
  enum tsr_scev_kind outer = s ? tsr_scev_kind(s) : TSR_SCEV_OTHER;
  if (outer == TSR_SCEV_ZEXT || outer == TSR_SCEV_SEXT)
    s = tsr_scev_operand(s, 0);
  if (!s || tsr_scev_kind(s) != TSR_SCEV_ADDREC || tsr_scev_loop(s) != loop || tsr_scev_n_operand(s) != 2)
    return false;
  *step = tsr_scev_operand(s, 1);
  if (!tsr_scev_can_hoist(m, *step))
    return false;
  for (unsigned i = 0; i < 2; i++)
    if (!tsr_loop_contains(loop, LLVMGetIncomingBlock(phi, i)))
      *start = LLVMGetIncomingValue(phi, i);
  return true;
}

unsigned tsr_counter_bits(struct tsr_model *m, LLVMValueRef phi, bool *is_signed)
{
  tsr_scev s = tsr_scev_of(m->a, phi);
  *is_signed = tsr_scev_kind(s) == TSR_SCEV_SEXT;
  return *is_signed || tsr_scev_kind(s) == TSR_SCEV_ZEXT ? tsr_scev_bits(m->a, tsr_scev_operand(s, 0)) : 0;
}

tsr_scev tsr_counted_step(struct tsr_model *m, LLVMValueRef value, LLVMBasicBlockRef header)
{
  LLVMValueRef start;
  tsr_scev step = NULL, s = tsr_scev_of(m->a, value);
  if (LLVMIsAPHINode(value))
    return LLVMGetInstructionParent(value) == header && tsr_phi_is_counter(m, value, &start, &step) ? step : NULL;
  tsr_loop loop = tsr_loop_for(m->a, header);
  if (!s || tsr_scev_kind(s) != TSR_SCEV_ADDREC || tsr_scev_loop(s) != loop || tsr_scev_n_operand(s) != 2 ||
      !tsr_scev_can_hoist(m, tsr_scev_operand(s, 1)))
    return NULL;
  return tsr_scev_operand(s, 1);
}

bool tsr_is_counted(struct tsr_model *m, LLVMValueRef value, LLVMBasicBlockRef header)
{
  if (!tsr_model_in_region(m, value))
    return !LLVMIsAInstruction(value) || LLVMIsConstant(value);
  LLVMOpcode op = LLVMGetInstructionOpcode(value);
  bool plain = op == LLVMTrunc || op == LLVMSExt || op == LLVMZExt || op == LLVMAdd || op == LLVMSub;
  if (!tsr_counted_step(m, value, header) || !(plain || LLVMIsAPHINode(value)))
    return false;
  for (int i = 0; i < LLVMGetNumOperands(value) && plain; i++)
    plain = LLVMIsAConstantInt(LLVMGetOperand(value, (unsigned)i)) ||
            tsr_is_counted(m, LLVMGetOperand(value, (unsigned)i), header);
  return plain || LLVMIsAPHINode(value);
}

static bool is_late(struct tsr_model *m, LLVMValueRef phi, LLVMValueRef *start, LLVMValueRef *before, int depth)
{
  LLVMValueRef from, way;
  tsr_scev step;
  if (depth == MOST_BEFORE || !LLVMIsAPHINode(phi) || LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind ||
      LLVMGetIntTypeWidth(LLVMTypeOf(phi)) > 64 || !sides_of(m, phi, start, before) || *before == phi ||
      !tsr_model_in_region(m, *before) || tsr_phi_is_counter(m, phi, &from, &step))
    return false;
  LLVMBasicBlockRef header = LLVMGetInstructionParent(phi);
  return tsr_is_counted(m, *before, header) ||
         (LLVMGetInstructionParent(*before) == header && is_late(m, *before, &from, &way, depth + 1));
}

bool tsr_phi_is_late(struct tsr_model *m, LLVMValueRef phi, LLVMValueRef *start, LLVMValueRef *before)
{
  return is_late(m, phi, start, before, 0);
}

/* VALUE as a number; false: it is no constant that is one. */
static bool number_of(LLVMValueRef value, double *number)
{
  LLVMBool loses = true;
  if (!LLVMIsAConstantFP(value))
    return false;
  *number = LLVMConstRealGetDouble(value, &loses);
  return !loses && isfinite(*number);
}

/* Are X and Y multiples of a power of two of which Y * COUNT + X is fewer than MOST? */
static bool is_exact(double x, double y, double count, double most)
{
  int exponent;
  frexp(y, &exponent);
  double unit = ldexp(1, exponent - 1);
  while (unit >= LEAST_UNIT && (fmod(x, unit) != 0 || fmod(y, unit) != 0))
    unit /= 2;
  return unit >= LEAST_UNIT && (fabs(x) + fabs(y) * count) / unit < most;
}

bool tsr_phi_is_sum(struct tsr_model *m, LLVMValueRef phi, struct tsr_exact_sum *sum)
{
  LLVMValueRef from, next;
  int64_t least;
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(phi));
  if ((kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind) || !sides_of(m, phi, &from, &next) ||
      !LLVMIsAInstruction(next))
    return false;
  LLVMOpcode op = LLVMGetInstructionOpcode(next);
  if (op != LLVMFAdd && op != LLVMFSub)
    return false;
  int by = op == LLVMFAdd && LLVMGetOperand(next, 1) == phi ? 0 : 1;
  if (LLVMGetOperand(next, (unsigned)!by) != phi || !number_of(LLVMGetOperand(next, (unsigned)by), &sum->step) ||
      !number_of(from, &sum->start) || sum->step == 0 || (sum->start == 0 && signbit(sum->start)))
    return false;
  sum->step *= op == LLVMFSub ? -1 : 1;
  tsr_scev count = tsr_scev_backedge_count(m->a, tsr_loop_for(m->a, LLVMGetInstructionParent(phi)));
  if (!count || !tsr_scev_signed_range(m->a, count, &least, &sum->most) || least < 0)
    return false;
  return is_exact(sum->start, sum->step, (double)sum->most + 1, kind == LLVMFloatTypeKind ? 0x1p24 : 0x1p53);
}
