/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Is an array dead behind the SCoP? Then what is left in it may be anything, and who computes it may do so in a buffer.
 *
 * Its memory is an alloca's or an allocating call's, the pointer goes nowhere but to loads, stores and frees of this
 * function, and no load is reached from the SCoP's end, nor is the SCoP itself, without the allocation between. */
#include "read/memory/memory.h"
#include <stdlib.h>
#include <string.h>

/* Values and blocks still to be looked at; each is added once. */
struct worklist {
  void **item;
  int n;
};

static void add(struct worklist *list, void *item)
{
  for (int i = 0; i < list->n; i++)
    if (list->item[i] == item)
      return;
  list->item = realloc(list->item, (list->n + 1) * sizeof(*list->item));
  list->item[list->n++] = item;
}

/* Is CALL of a function that does one of KINDS, LLVM's AllocFnKind: 1 an allocation, 4 a free? */
static bool is_of_kind(LLVMValueRef call, uint64_t kinds)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);
  static const char name[] = "allockind";
  unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof(name) - 1);
  LLVMAttributeRef attribute =
      LLVMIsAFunction(callee) ? LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, kind) : NULL;
  return attribute && (LLVMGetEnumAttributeValue(attribute) & kinds);
}

/* Does BASE give memory that nobody has yet? */
static bool is_allocation(LLVMValueRef base)
{
  return LLVMIsAAllocaInst(base) || (LLVMIsACallInst(base) && !LLVMIsAInvokeInst(base) && is_of_kind(base, 1));
}

/* Does INTRINSIC have one of NAMES, up to a NULL? */
static bool is_intrinsic(LLVMValueRef call, const char *const *names)
{
  unsigned id = LLVMIsAIntrinsicInst(call) ? LLVMGetIntrinsicID(LLVMGetCalledValue(call)) : 0;
  for (; id && *names; names++)
    if (id == LLVMLookupIntrinsicID(*names, strlen(*names)))
      return true;
  return false;
}

/* Look at the use of a pointer into the array: pointers made of it go to POINTERS, blocks with loads to LOADS. False: it may
 * go anywhere. */
static bool follow(LLVMUseRef use, struct worklist *pointers, struct worklist *loads)
{
  static const char *const harmless[] = {"llvm.lifetime.start", "llvm.lifetime.end", "llvm.memset", NULL};
  static const char *const copies[] = {"llvm.memcpy", "llvm.memmove", NULL};
  LLVMValueRef user = LLVMGetUser(use), pointer = LLVMGetUsedValue(use);
  if (!LLVMIsAInstruction(user))
    return false;
  if (LLVMIsALoadInst(user)) {
    add(loads, LLVMGetInstructionParent(user));
    return true;
  }
  if (LLVMIsAStoreInst(user))
    return LLVMGetOperand(user, 0) != pointer;
  if (LLVMIsAGetElementPtrInst(user)) {
    add(pointers, user);
    return LLVMGetOperand(user, 0) == pointer && LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMPointerTypeKind;
  }
  if (LLVMIsAICmpInst(user))
    return LLVMIsNull(LLVMGetOperand(user, 0)) || LLVMIsNull(LLVMGetOperand(user, 1));
  if (!LLVMIsACallInst(user))
    return false;
  if (is_intrinsic(user, copies)) {
    add(loads, LLVMGetInstructionParent(user));
    return true;
  }
  return is_intrinsic(user, harmless) || (LLVMGetNumArgOperands(user) == 1 && is_of_kind(user, 4));
}

/* The blocks that are reached from the SCoP's end, or where a check failed, before BASE gives memory again. */
static void find_later(struct tsr_model *m, LLVMValueRef base, struct worklist *later)
{
  LLVMBasicBlockRef again = LLVMGetInstructionParent(base);
  if (m->exit != again)
    add(later, m->exit);
  for (int i = 0; i < m->errors.n; i++)
    add(later, m->errors.block[i]);
  for (int i = 0; i < later->n; i++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(later->item[i]);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
      if (LLVMGetSuccessor(end, k) != again)
        add(later, LLVMGetSuccessor(end, k));
  }
}

bool tsr_model_is_dead_behind(struct tsr_model *m, int array)
{
  LLVMValueRef base = m->arrays[array].base;
  if (m->arrays[array].rows || m->arrays[array].n_dim < 1 || !LLVMIsAInstruction(base) || !is_allocation(base))
    return false;
  struct worklist pointers = {0}, loads = {0}, later = {0};
  bool dead = true;
  add(&pointers, base);
  for (int i = 0; i < pointers.n && dead; i++)
    for (LLVMUseRef use = LLVMGetFirstUse(pointers.item[i]); use && dead; use = LLVMGetNextUse(use))
      dead = follow(use, &pointers, &loads);
  if (dead)
    find_later(m, base, &later);
  for (int i = 0; i < later.n && dead; i++)
    for (int k = 0; k < loads.n && dead; k++)
      dead = later.item[i] != loads.item[k];
  for (int i = 0; i < later.n && dead; i++) /* the SCoP may read what it has written the last time */
    dead = later.item[i] != LLVMGetInstructionParent(m->entry);
  free(pointers.item);
  free(loads.item);
  free(later.item);
  return dead;
}
