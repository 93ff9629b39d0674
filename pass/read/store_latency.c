/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long does a statement wait for a value that it reads? The longest way from the load to the value that it stores, in
 * cycles of a current core. That is what a recurrence costs, a[j] = (a[j - 1] + b[j]) / c: iterations wait for each other,
 * and nothing else counts. Too little is better than too much: LLVM may find a shorter way where it may reorder operations.
 */
#include "read/statement_traits.h"

#define MAX_VALUES 128 /* of one statement: none is looked at in larger ones */

/* Is VALUE a constant whose reciprocal is exact? A division by it becomes a multiplication. */
static bool is_power_of_two(LLVMValueRef value)
{
  LLVMBool loses = 0;
  if (!LLVMIsAConstantFP(value))
    return false;
  double number = LLVMConstRealGetDouble(value, &loses);
  for (; number >= 2 && number < 1e30; number /= 2)
    ;
  return !loses && number == 1;
}

bool tsr_is_quick(LLVMValueRef inst)
{
  switch (LLVMGetInstructionOpcode(inst)) {
  case LLVMAdd:
  case LLVMSub:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMShl:
  case LLVMLShr:
  case LLVMAShr:
  case LLVMICmp:
  case LLVMSelect:
    return true;
  default:
    return false;
  }
}

/* Cycles of INST alone. */
static int cycles_of(LLVMValueRef inst)
{
  switch (LLVMGetInstructionOpcode(inst)) {
  case LLVMFAdd:
  case LLVMFSub:
  case LLVMFMul:
    return 3;
  case LLVMFDiv:
    return is_power_of_two(LLVMGetOperand(inst, 1)) || tsr_fast_math_reassoc(inst) ? 3
           : LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMFloatTypeKind                ? 10
                                                                                   : 13;
  case LLVMMul:
    return 3;
  case LLVMSIToFP:
  case LLVMUIToFP:
  case LLVMFPToSI:
  case LLVMFPToUI:
  case LLVMFPExt:
  case LLVMFPTrunc:
    return 4;
  default:
    return tsr_is_quick(inst);
  }
}

/* May LLVM put the operands of USER and its operand OPERAND, of one operator, in another order, so that a way through both
 * is no longer than through one of them? */
static bool is_one_sum(LLVMValueRef user, LLVMValueRef operand)
{
  bool real = LLVMCanValueUseFastMathFlags(user);
  LLVMOpcode op = LLVMGetInstructionOpcode(user);
  return op == LLVMGetInstructionOpcode(operand) &&
         (real ? tsr_fast_math_reassoc(user) && tsr_fast_math_reassoc(operand) : op == LLVMAdd || op == LLVMMul);
}

/* Cycles from each of the N values of S up to the end of LOAD's way to it; -1: LOAD doesn't get there. */
static void find_ways(const struct tsr_stmt_info *s, LLVMValueRef load, int *cycles)
{
  for (int i = 0; i < s->n_inst; i++) {
    LLVMValueRef inst = s->inst[i];
    cycles[i] = inst == load ? 0 : -1;
    for (int k = 0; k < LLVMGetNumOperands(inst) && inst != load && !LLVMIsALoadInst(inst); k++)
      for (int j = 0; j < i; j++) {
        if (s->inst[j] != LLVMGetOperand(inst, (unsigned)k) || cycles[j] < 0)
          continue;
        int way = cycles[j] + (is_one_sum(inst, s->inst[j]) ? 0 : cycles_of(inst));
        cycles[i] = way > cycles[i] ? way : cycles[i];
      }
  }
}

int tsr_model_wait(struct tsr_model *m, int stmt, const struct tsr_raw_access *read)
{
  struct tsr_stmt_info *s = &m->stmts[stmt];
  int cycles[MAX_VALUES], most = 0;
  if (s->inner.n || s->n_write || s->n_inst > MAX_VALUES || read->kind != TSR_READ || !LLVMIsALoadInst(read->inst))
    return 0;
  find_ways(s, read->inst, cycles);
  for (int i = 0; i < s->n_inst; i++)
    for (int k = 0; k < m->n_access && LLVMIsAStoreInst(s->inst[i]); k++)
      if (m->access[k].inst == s->inst[i] && m->access[k].array == read->array && cycles[i] > most)
        most = cycles[i];
  return most;
}
