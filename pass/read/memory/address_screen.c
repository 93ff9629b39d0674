/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What can't be modelled because of an access at an address that nobody knows, told without any set:
 *
 *   x[k] = ..; k = next[k];        no exact model
 *   x[k] += y[i];                  no other one either, if x, of any size, and y may overlap
 *
 * What is exact but for such accesses (gathers of struct tsr_place) is possible if the second is.
 *
 * Only accesses count that a model is sure to have: stores, and the loads that what is stored is computed from. */
#include "read/memory/memory.h"
#include <stdlib.h>

#define MAX_SEEN 512

struct screen {
  struct tsr_model *m;
  struct access {
    LLVMValueRef inst, base;
    bool store, anywhere; /* may it be to any element? */
  } *access;
  int n;
  LLVMValueRef seen[MAX_SEEN];
  int n_seen;
};

/* Is a part of S, which is no polynomial then, a phi of the SCoP's that is no counter, or what it loads? */
static bool is_unknown(struct tsr_model *m, tsr_scev s)
{
  if (tsr_scev_kind(s) == TSR_SCEV_UNKNOWN) {
    LLVMValueRef value = tsr_scev_value(s);
    return (LLVMIsALoadInst(value) || LLVMIsAPHINode(value)) && tsr_model_in_region(m, value);
  }
  for (unsigned i = 0; i < tsr_scev_n_operand(s); i++)
    if (is_unknown(m, tsr_scev_operand(s, i)))
      return true;
  return false;
}

/* Does the value of an integer, in LOOP, depend on such data? */
static bool value_is_data(struct tsr_model *m, LLVMValueRef value, tsr_loop loop)
{
  tsr_scev s = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind ? tsr_scev_at(m->a, value, loop) : NULL;
  return s && is_unknown(m, s);
}

bool tsr_condition_is_data(struct tsr_model *m, LLVMValueRef cond, tsr_loop loop)
{
  bool comparison = LLVMIsAICmpInst(cond) != NULL;
  if (!LLVMIsAInstruction(cond) || !tsr_model_in_region(m, cond))
    return false;
  LLVMOpcode op = LLVMGetInstructionOpcode(cond);
  if (!comparison && op != LLVMAnd && op != LLVMOr && op != LLVMXor && op != LLVMSelect)
    return true;
  for (int i = 0; i < LLVMGetNumOperands(cond); i++)
    if (comparison ? value_is_data(m, LLVMGetOperand(cond, i), loop)
                   : tsr_condition_is_data(m, LLVMGetOperand(cond, i), loop))
      return true;
  return false;
}

/* False: an exact model can't have INST. */
static bool add_access(struct screen *all, LLVMValueRef inst)
{
  struct tsr_model *m = all->m;
  bool store = LLVMIsAStoreInst(inst) != NULL;
  tsr_loop own = tsr_loop_for(m->a, LLVMGetInstructionParent(inst));
  tsr_scev s = tsr_scev_at(m->a, LLVMGetOperand(inst, store), own);
  LLVMValueRef base = s ? tsr_scev_pointer_base(m->a, s) : NULL;
  if (!base || tsr_model_in_region(m, base))
    return true;
  tsr_scev bytes = tsr_scev_pointer_offset(m->a, s);
  bool unknown = bytes && is_unknown(m, bytes);
  if (unknown && m->exact && !m->gathers)
    return tsr_model_reject(m, TSR_REASON_Subscript, inst, NULL);
  struct access one = {inst, base, store, unknown && !tsr_offset_is_bounded(m, bytes) && !tsr_object_size(m->module, base)};
  all->access = realloc(all->access, (all->n + 1) * sizeof(*all->access));
  all->access[all->n++] = one;
  return true;
}

/* Is INST seen for the first time? False, too, if there is no room left. */
static bool is_news(struct screen *all, LLVMValueRef inst)
{
  for (int i = 0; i < all->n_seen; i++)
    if (all->seen[i] == inst)
      return false;
  if (all->n_seen == MAX_SEEN)
    return false;
  all->seen[all->n_seen++] = inst;
  return true;
}

/* The loads that VALUE is computed from on its way from where paths meet. */
static bool add_loads(struct screen *all, LLVMValueRef value)
{
  if (!LLVMIsAInstruction(value) || !tsr_model_in_region(all->m, value) || LLVMIsAPHINode(value) || !is_news(all, value))
    return true;
  bool ok = !LLVMIsALoadInst(value) || add_access(all, value);
  for (int i = 0; i < LLVMGetNumOperands(value) && ok; i++)
    ok = add_loads(all, LLVMGetOperand(value, i));
  return ok;
}

/* May X, to any element, and an access to another array overlap? */
static bool overlaps(const struct screen *all, const struct access *x)
{
  struct tsr_analyses *a = all->m->a;
  for (const struct access *y = all->access; y < all->access + all->n; y++)
    if (y->base != x->base && (x->store || y->store) && !tsr_is_expanded(x->base) && !tsr_is_expanded(y->base) &&
        tsr_may_alias(a, x->base, y->base) && tsr_types_may_alias(a, x->inst, y->inst))
      return true;
  return false;
}

bool tsr_model_screen(struct tsr_model *m)
{
  struct screen all = {.m = m};
  bool ok = true;
  for (int b = 0; b < m->blocks.n && ok; b++)
    for (LLVMValueRef i = LLVMGetFirstInstruction(m->blocks.block[b]); i && ok; i = LLVMGetNextInstruction(i))
      if (LLVMIsAStoreInst(i))
        ok = add_access(&all, i) && add_loads(&all, LLVMGetOperand(i, 0)) && add_loads(&all, LLVMGetOperand(i, 1));
  for (const struct access *x = all.access; x < all.access + all.n && ok; x++)
    if (x->anywhere && overlaps(&all, x))
      ok = tsr_model_reject(m, TSR_REASON_Indirect, x->inst, NULL);
  free(all.access);
  return ok;
}
