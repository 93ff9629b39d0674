/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reductions: S: A[f(i)] = A[f(i)] op e, and nothing else in S touches A. */
#include "pass.h"
#include <string.h>

static enum tsr_reduction reduction_of(LLVMValueRef inst, bool *reassoc)
{
  size_t n;
  LLVMOpcode op = LLVMGetInstructionOpcode(inst);
  *reassoc = op != LLVMFAdd && op != LLVMFMul && op != LLVMCall ? true : tsr_fast_math_reassoc(inst);
  switch (op) {
  case LLVMAdd:
  case LLVMFAdd:
    return TSR_RED_ADD;
  case LLVMMul:
  case LLVMFMul:
    return TSR_RED_MUL;
  case LLVMAnd:
    return TSR_RED_AND;
  case LLVMOr:
    return TSR_RED_OR;
  case LLVMXor:
    return TSR_RED_XOR;
  case LLVMCall:
    if (LLVMIsAFunction(LLVMGetCalledValue(inst)) &&
        !strncmp(LLVMGetValueName2(LLVMGetCalledValue(inst), &n), "llvm.fmuladd", 12))
      return TSR_RED_ADD;
    return TSR_RED_NONE;
  default:
    return TSR_RED_NONE;
  }
}

void tsr_model_reduction(struct tsr_model *m, int stmt)
{
  struct tsr_stmt_info *s = &m->stmts[stmt];
  struct tsr_raw_access *write = NULL, *read = NULL;
  int w = -1, r = -1, at = s->n_read;
  for (int k = 0; k < m->n_access; k++)
    if (m->access[k].stmt == stmt) {
      if (m->access[k].kind != TSR_READ) {
        if (write || m->access[k].kind == TSR_MAY_WRITE)
          return;
        write = &m->access[k];
        w = at;
      }
      at++;
    }
  LLVMValueRef value = write && LLVMIsAStoreInst(write->inst) ? LLVMGetOperand(write->inst, 0) : NULL;
  bool reassoc;
  if (!value || s->n_write || !LLVMIsAInstruction(value) || LLVMIsAPHINode(value) ||
      reduction_of(value, &reassoc) == TSR_RED_NONE)
    return;
  at = s->n_read;
  for (int k = 0; k < m->n_access; k++)
    if (m->access[k].stmt == stmt) {
      struct tsr_raw_access *a = &m->access[k];
      if (a->kind == TSR_READ && a->array == write->array) {
        if (read || !a->offset || !tsr_poly_equal(a->offset, write->offset) ||
            (a->row && !tsr_poly_equal(a->row, write->row)))
          return;
        read = a;
        r = at;
      }
      at++;
    }
  if (!read || !LLVMGetFirstUse(read->inst) || LLVMGetNextUse(LLVMGetFirstUse(read->inst)))
    return;
  bool operand = false; /* of fmuladd only the addend */
  for (int i = LLVMIsACallInst(value) ? 2 : 0; i < (LLVMIsACallInst(value) ? 3 : 2); i++)
    operand |= LLVMGetOperand(value, i) == read->inst;
  if (!operand)
    return;
  struct tsr_access *access = m->scop->stmts[stmt].access;
  access[r].reduction = access[w].reduction = reduction_of(value, &reassoc);
  access[r].reassoc = access[w].reassoc = reassoc;
}
