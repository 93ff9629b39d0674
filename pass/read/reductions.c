/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reductions: S: A[f(i)] = A[f(i)] op e. What e reads may be other elements of A: that is found out with the dependences.
 * Updates are of whole elements: those of parts, or of several at once, may overlap without being of the same number. The
 * element may be the home of a scalar (scalar_elements.c): then S reads the scalar and writes it. Minima and maxima may be
 * written with a branch, too: if (e < A[f(i)]) A[f(i)] = e. In whatever order, such updates store to an element if and only
 * if one of them has a number to store, and leave the same one there. */
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

/* What is X if COND holds, else Y: x < y ? x : y and the like, of integers. The comparison tells which of the two it is. */
static enum tsr_reduction reduction_of_choice(LLVMValueRef cond, LLVMValueRef x, LLVMValueRef y)
{
  if (!LLVMIsAICmpInst(cond) || LLVMGetTypeKind(LLVMTypeOf(x)) != LLVMIntegerTypeKind)
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
    return reduction_of_choice(LLVMGetOperand(inst, 0), LLVMGetOperand(inst, 1), LLVMGetOperand(inst, 2));
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
  bool rows = !read->row == !write->row && (!read->row || tsr_poly_equal(read->row, write->row));
  return rows && read->offset && write->offset && tsr_poly_equal(read->offset, write->offset);
}

/* Note that accesses R and W of STMT, a read and a write, are those of a reduction of numbers such as VALUE. */
static void mark_accesses(struct tsr_model *m, int stmt, int r, int w, LLVMValueRef value, enum tsr_reduction reduction,
                          bool reassoc)
{
  struct tsr_access *access = m->scop->stmts[stmt].access;
  access[r].reduction = access[w].reduction = reduction;
  access[r].reassoc = access[w].reassoc = reassoc;
  access[r].exact = access[w].exact = reassoc && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind;
}

/* Note that accesses R and W of STMT, a read and a write, are those of the reduction's operation VALUE. */
static void mark_update(struct tsr_model *m, int stmt, int r, int w, LLVMValueRef value)
{
  bool reassoc;
  enum tsr_reduction reduction = reduction_of(value, &reassoc);
  mark_accesses(m, stmt, r, w, value, reduction, reassoc);
}

/* What STORE, the only one behind the branch at the end of S's block, makes of the element that READ has loaded. */
static enum tsr_reduction reduction_of_branch(const struct tsr_stmt_info *s, LLVMValueRef store, LLVMValueRef read)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(store);
  LLVMValueRef branch = LLVMGetBasicBlockTerminator(s->block), value = LLVMGetOperand(store, 0);
  LLVMUseRef use = LLVMGetFirstUse(read);
  if (s->inner.n != 1 || s->inner.block[0] != block || !LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) ||
      !LLVMIsAICmpInst(LLVMGetCondition(branch)) || !use || LLVMGetNextUse(use) ||
      LLVMGetUser(use) != LLVMGetCondition(branch))
    return TSR_RED_NONE;
  bool then = LLVMGetSuccessor(branch, 0) == block;
  return reduction_of_choice(LLVMGetCondition(branch), then ? value : read, then ? read : value);
}

static bool is_operation(LLVMValueRef value)
{
  bool reassoc;
  return LLVMIsAInstruction(value) && !LLVMIsAPHINode(value) && reduction_of(value, &reassoc) != TSR_RED_NONE;
}

static bool is_whole(const struct tsr_model *m, const struct tsr_raw_access *access)
{
  return access->width == 1 && access->size == m->arrays[access->array].elem_size;
}

/* The only value that S writes to scalars, all of which live in one element; NULL: there are others. *PLACE is the element.
 */
static LLVMValueRef only_write(const struct tsr_model *m, const struct tsr_stmt_info *s, int *place)
{
  if (s->n_write == 0 || s->inner.n || !m->arrays[s->write[0].array].home)
    return NULL;
  *place = tsr_array_place(m, s->write[0].array);
  for (int i = 1; i < s->n_write; i++)
    if (s->write[i].value != s->write[0].value || tsr_array_place(m, s->write[i].array) != *place)
      return NULL;
  return s->write[0].value;
}

/* The accesses of statement STMT, if it updates a scalar that lives in an element, which it doesn't touch otherwise. */
static void mark_scalar(struct tsr_model *m, int stmt)
{
  struct tsr_stmt_info *s = &m->stmts[stmt];
  int place, r = -1, at = s->n_read;
  LLVMValueRef value = only_write(m, s, &place);
  if (!value || !is_operation(value))
    return;
  const struct tsr_raw_access *home = &m->access[-place - 1];
  bool whole = is_whole(m, home);
  for (int i = 0; i < s->n_read && whole; i++)
    if (tsr_array_place(m, s->read[i]) == place) {
      whole = r < 0;
      r = i;
    }
  for (int k = 0; k < m->n_access && whole; k++)
    if (m->access[k].stmt == stmt) {
      const struct tsr_raw_access *a = &m->access[k];
      whole = a->kind == TSR_READ && !(a->array == home->array && is_same_element(a, home));
      at++;
    }
  if (whole && r >= 0 && is_updated_by(m->arrays[s->read[r]].origin, value))
    mark_update(m, stmt, r, at, value);
}

void tsr_model_reduction(struct tsr_model *m, int stmt)
{
  struct tsr_stmt_info *s = &m->stmts[stmt];
  struct tsr_raw_access *write = NULL, *read = NULL;
  int w = -1, r = -1, at = s->n_read;
  for (int k = 0; k < m->n_access; k++)
    if (m->access[k].stmt == stmt) {
      if (m->access[k].kind != TSR_READ) {
        if (write)
          return;
        write = &m->access[k];
        w = at;
      }
      at++;
    }
  if (!write)
    mark_scalar(m, stmt);
  LLVMValueRef value = write && LLVMIsAStoreInst(write->inst) ? LLVMGetOperand(write->inst, 0) : NULL;
  bool may = write && write->kind == TSR_MAY_WRITE;
  if (!value || !is_whole(m, write) || s->n_write || (!may && !is_operation(value)))
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
  enum tsr_reduction choice =
      read && may && LLVMIsALoadInst(read->inst) ? reduction_of_branch(s, write->inst, read->inst) : TSR_RED_NONE;
  if (choice != TSR_RED_NONE)
    mark_accesses(m, stmt, r, w, value, choice, true);
  else if (read && !may && is_updated_by(read->inst, value))
    mark_update(m, stmt, r, w, value);
}
