/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What can be computed in front of the SCoP, without a trap, whether or not the SCoP would have computed it. */
#include "read/values/values.h"

/* Is VALUE a float or a double? */
static bool is_float(LLVMValueRef value)
{
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
  return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

/* Is VALUE, of 64 bits, far from the least number: a sum or difference of a few narrower ones? */
static bool is_small(LLVMValueRef value, int depth)
{
  if (LLVMIsAConstantInt(value))
    return LLVMConstIntGetSExtValue(value) > INT32_MIN && LLVMConstIntGetSExtValue(value) < INT32_MAX;
  if (LLVMIsASExtInst(value))
    return LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(value, 0))) <= 32;
  bool sum = LLVMIsAInstruction(value) &&
             (LLVMGetInstructionOpcode(value) == LLVMAdd || LLVMGetInstructionOpcode(value) == LLVMSub);
  return sum && depth < 6 && is_small(LLVMGetOperand(value, 0), depth + 1) && is_small(LLVMGetOperand(value, 1), depth + 1);
}

/* Levels of a value that are looked through: CHAIN for one that has a single operand in the SCoP (a chain takes no
 * time: the height of a level of a pyramid is half that of the one before, and so on), BRANCH for others. */
#define CHAIN 1
#define BRANCH 9
#define MOST_LEVELS (7 * BRANCH)

int tsr_operands_inside(struct tsr_model *m, LLVMValueRef value)
{
  int n = 0;
  for (int i = 0; i < LLVMGetNumOperands(value); i++)
    n += tsr_model_in_region(m, LLVMGetOperand(value, i));
  return n;
}

bool tsr_can_hoist(struct tsr_model *m, LLVMValueRef value, int depth)
{
  if (!tsr_model_in_region(m, value))
    return true;
  LLVMValueRef by;
  LLVMOpcode op = LLVMGetInstructionOpcode(value);
  if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind)
    return false;
  switch (op) {
  case LLVMFCmp:
  case LLVMFPExt:
    if (!is_float(LLVMGetOperand(value, 0)))
      return false;
    break;
  case LLVMSDiv:
  case LLVMUDiv:
  case LLVMSRem:
  case LLVMURem:
  case LLVMShl:
  case LLVMLShr:
  case LLVMAShr: /* by a positive constant, or a quotient by a negative one: no trap, no overflow */
    by = LLVMGetOperand(value, 1);
    if (op == LLVMSDiv && LLVMIsAConstantInt(by) && LLVMGetIntTypeWidth(LLVMTypeOf(by)) <= 64 &&
        LLVMConstIntGetSExtValue(by) < 0 &&
        (LLVMConstIntGetSExtValue(by) < -1 ||
         (LLVMGetIntTypeWidth(LLVMTypeOf(by)) == 64 && is_small(LLVMGetOperand(value, 0), 0))))
      return tsr_can_hoist(m, LLVMGetOperand(value, 0), depth + CHAIN);
    if (!LLVMIsAConstantInt(by) || LLVMGetIntTypeWidth(LLVMTypeOf(by)) > 64 || LLVMConstIntGetSExtValue(by) <= 0 ||
        LLVMConstIntGetSExtValue(by) >= LLVMGetIntTypeWidth(LLVMTypeOf(by)))
      return false;
    return tsr_can_hoist(m, LLVMGetOperand(value, 0), depth + CHAIN);
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMICmp:
  case LLVMSelect:
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMSExt:
  case LLVMPtrToInt:
  case LLVMGetElementPtr:
    break;
  default:
    return false;
  }
  depth += tsr_operands_inside(m, value) > 1 ? BRANCH : CHAIN;
  for (int i = 0; i < LLVMGetNumOperands(value); i++)
    if (depth > MOST_LEVELS || !tsr_can_hoist(m, LLVMGetOperand(value, i), depth))
      return false;
  return true;
}

bool tsr_scev_can_hoist(struct tsr_model *m, tsr_scev s)
{
  int64_t value;
  enum tsr_scev_kind kind = tsr_scev_kind(s);
  if (kind == TSR_SCEV_UNKNOWN) {
    LLVMValueRef v = tsr_scev_value(s);
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind && tsr_can_hoist(m, v, 0);
  }
  if (tsr_scev_bits(m->a, s) > 64 || kind == TSR_SCEV_ADDREC || kind == TSR_SCEV_OTHER)
    return false;
  if (kind == TSR_SCEV_PTRTOINT) {
    tsr_scev pointer = tsr_scev_operand(s, 0);
    return tsr_scev_kind(pointer) == TSR_SCEV_UNKNOWN && !tsr_model_in_region(m, tsr_scev_value(pointer));
  }
  if (kind == TSR_SCEV_CONSTANT)
    return tsr_scev_constant(s, &value);
  if (kind == TSR_SCEV_UDIV && !(tsr_scev_constant(tsr_scev_operand(s, 1), &value) && value > 0))
    return false;
  for (unsigned i = 0; i < tsr_scev_n_operand(s); i++)
    if (!tsr_scev_can_hoist(m, tsr_scev_operand(s, i)))
      return false;
  return true;
}
