/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reductions: S: A[f(i)] = A[f(i)] op e. What e reads may be other elements of A: that is found out with the dependences.
 * Updates are of whole elements: those of parts, or of several at once, may overlap without being of the same number. */
#include "read/statement_traits.h"
#include <string.h>

/* The operation of a call: fmuladd adds to its last operand; minima and maxima of integers. */
static enum tsr_reduction reduction_of_call(LLVMValueRef call, bool *reassoc)
{
  static const struct {
    const char *name;
    enum tsr_reduction reduction;
  } known[] = {{"llvm.fmuladd.", TSR_RED_ADD},
               {"llvm.smin.", TSR_RED_MIN},
               {"llvm.umin.", TSR_RED_UMIN},
               {"llvm.smax.", TSR_RED_MAX},
               {"llvm.umax.", TSR_RED_UMAX}};
  size_t n;
  if (!LLVMIsAFunction(LLVMGetCalledValue(call)))
    return TSR_RED_NONE;
  const char *name = LLVMGetValueName2(LLVMGetCalledValue(call), &n);
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
    if (!strncmp(name, known[i].name, strlen(known[i].name))) {
      *reassoc = i > 0 || tsr_fast_math_reassoc(call);
      return known[i].reduction;
    }
  return TSR_RED_NONE;
}

/* select(x < y, x, y) and the like, of integers: the comparison tells which of the two it is. */
static enum tsr_reduction reduction_of_select(LLVMValueRef select)
{
  LLVMValueRef cond = LLVMGetOperand(select, 0), x = LLVMGetOperand(select, 1), y = LLVMGetOperand(select, 2);
  if (!LLVMIsAICmpInst(cond) || LLVMGetTypeKind(LLVMTypeOf(select)) != LLVMIntegerTypeKind)
    return TSR_RED_NONE;
  LLVMValueRef a = LLVMGetOperand(cond, 0), b = LLVMGetOperand(cond, 1);
  if (!(a == x && b == y) && !(a == y && b == x))
    return TSR_RED_NONE;
  switch (LLVMGetICmpPredicate(cond)) {
  case LLVMIntSLT:
  case LLVMIntSLE:
    return a == x ? TSR_RED_MIN : TSR_RED_MAX;
  case LLVMIntSGT:
  case LLVMIntSGE:
    return a == x ? TSR_RED_MAX : TSR_RED_MIN;
  case LLVMIntULT:
  case LLVMIntULE:
    return a == x ? TSR_RED_UMIN : TSR_RED_UMAX;
  case LLVMIntUGT:
  case LLVMIntUGE:
    return a == x ? TSR_RED_UMAX : TSR_RED_UMIN;
  default:
    return TSR_RED_NONE;
  }
}

/* The operation of INST, and whether its operands may change places; TSR_RED_NONE: it is none. */
static enum tsr_reduction reduction_of(LLVMValueRef inst, bool *reassoc)
{
  LLVMOpcode op = LLVMGetInstructionOpcode(inst);
  *reassoc = op != LLVMFAdd && op != LLVMFSub && op != LLVMFMul ? true : tsr_fast_math_reassoc(inst);
  switch (op) {
  case LLVMAdd:
  case LLVMFAdd:
  case LLVMSub: /* of the element, not from it */
  case LLVMFSub:
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
  case LLVMSelect:
    return reduction_of_select(inst);
  case LLVMCall:
    return reduction_of_call(inst, reassoc);
  default:
    return TSR_RED_NONE;
  }
}

/* May operand I of INST, a reduction's operation, be the element that it updates? */
static bool is_accumulator(LLVMValueRef inst, int i)
{
  LLVMOpcode op = LLVMGetInstructionOpcode(inst);
  if (op == LLVMSub || op == LLVMFSub)
    return i == 0;
  if (op == LLVMSelect)
    return false; /* it has the element twice: is_updated_by */
  return op == LLVMCall && LLVMGetNumArgOperands(inst) == 3 ? i == 2 : i < 2;
}

/* Is READ an operand of the reduction's operation VALUE, and used for nothing else? */
static bool is_updated_by(LLVMValueRef read, LLVMValueRef value)
{
  bool select = LLVMIsASelectInst(value), operand = select;
  int n_use = 0;
  for (int i = 0; i < 3; i++)
    operand |= is_accumulator(value, i) && LLVMGetOperand(value, i) == read;
  for (LLVMUseRef use = LLVMGetFirstUse(read); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    n_use++;
    operand &= user == value || (select && user == LLVMGetOperand(value, 0));
  }
  return operand && n_use == (select ? 2 : 1);
}

/* Do READ and WRITE go to one element, as their offsets tell? */
static bool is_same_element(const struct tsr_raw_access *read, const struct tsr_raw_access *write)
{
  return read->offset && tsr_poly_equal(read->offset, write->offset) &&
         (!read->row || tsr_poly_equal(read->row, write->row));
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
  bool whole = write && write->width == 1 && write->size == m->arrays[write->array].elem_size;
  if (!value || !whole || s->n_write || !LLVMIsAInstruction(value) || LLVMIsAPHINode(value) ||
      reduction_of(value, &reassoc) == TSR_RED_NONE)
    return;
  at = s->n_read;
  for (int k = 0; k < m->n_access; k++)
    if (m->access[k].stmt == stmt) {
      struct tsr_raw_access *a = &m->access[k];
      if (a->kind == TSR_READ && a->array == write->array && is_same_element(a, write)) {
        if (read)
          return;
        read = a;
        r = at;
      }
      at++;
    }
  if (!read || !is_updated_by(read->inst, value))
    return;
  struct tsr_access *access = m->scop->stmts[stmt].access;
  access[r].reduction = access[w].reduction = reduction_of(value, &reassoc);
  access[r].reassoc = access[w].reassoc = reassoc;
  access[r].exact = access[w].exact = reassoc && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind;
}
