/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that the function has, and that nobody reads any more: that of an array whose values are dead behind the SCoP
 * (read/memory/dead_memory.c) and that the new program leaves out. Buffers in it cost no call of malloc, and the heap grows
 * and shrinks as it does in the original: glibc gives the end of it back at each free of more than 128 KiB there, which
 * takes as long as many a small SCoP (a blur of 200 x 300 with a buffer of 68 KB: 61 us in place of 24).
 *
 * What is in the buffers may be of another type than the array, so nothing is said about types (TBAA). */
#include "emit/buffer/array_buffers.h"
#include <stdlib.h>
#include <string.h>

/* Flags by array of the original: do instances of the program access it? malloc'd; NULL without memory. */
static bool *find_used(const struct tsr_program *program)
{
  const struct tsr_scop *scop = program->scop;
  bool *used = calloc(scop->n_array + 1, sizeof(*used));
  for (int s = 0; s < scop->n_stmt && used; s++)
    for (int k = 0; k < scop->stmts[s].n_access; k++)
      used[scop->stmts[s].access[k].array] |= isl_set_is_empty(scop->stmts[s].domain) != isl_bool_true;
  return used;
}

/* Is BASE that of array number ARRAY of M alone? */
static bool is_only_base(const struct tsr_model *m, int array, LLVMValueRef base)
{
  for (int i = 0; i < m->n_array; i++)
    if (i != array && m->arrays[i].kind == TSR_ARRAY_MEMORY && m->arrays[i].base == base)
      return false;
  return true;
}

/* Argument NUMBER of CALL as an i64; NULL: it hasn't that many. */
static LLVMValueRef size_argument(struct tsr_emit *e, LLVMValueRef call, uint64_t number)
{
  return number < LLVMGetNumArgOperands(call) ? LLVMBuildZExt(e->b, LLVMGetOperand(call, (unsigned)number), e->i64, "")
                                              : NULL;
}

/* The bytes of BASE, an alloca or an allocating call, at the builder's place. NULL: that isn't known. Where they are more
 * than 64 bits hold, there is no such memory. */
static LLVMValueRef bytes_of(struct tsr_emit *e, LLVMValueRef base)
{
  if (LLVMIsAAllocaInst(base)) {
    int64_t size = tsr_type_alloc_size(e->m->module, LLVMGetAllocatedType(base));
    LLVMValueRef n = LLVMBuildZExt(e->b, LLVMGetOperand(base, 0), e->i64, "");
    return size > 0 ? LLVMBuildMul(e->b, n, tsr_emit_number(e, size), "") : NULL;
  }
  static const char name[] = "allocsize"; /* of an element, in the upper half, and how many, all ones: one */
  LLVMValueRef callee = LLVMGetCalledValue(base);
  unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof(name) - 1);
  LLVMAttributeRef attribute =
      LLVMIsAFunction(callee) ? LLVMGetEnumAttributeAtIndex(callee, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind)
                              : NULL;
  if (!attribute)
    return NULL;
  uint64_t which = LLVMGetEnumAttributeValue(attribute);
  LLVMValueRef size = size_argument(e, base, which >> 32);
  if (!size || (uint32_t)which == UINT32_MAX)
    return size;
  LLVMValueRef n = size_argument(e, base, (uint32_t)which);
  return n ? LLVMBuildMul(e->b, size, n, "") : NULL;
}

LLVMValueRef tsr_dead_place_find(struct tsr_emit *e, LLVMValueRef *bytes)
{
  struct tsr_model *m = e->m;
  bool *used = e->program ? find_used(e->program) : NULL;
  LLVMValueRef place = NULL;
  for (int i = 0; i < m->n_array && used; i++) {
    LLVMValueRef base = m->arrays[i].base;
    bool dead = m->arrays[i].kind == TSR_ARRAY_MEMORY && !m->arrays[i].rows && !m->scop->arrays[i].live_out && !used[i] &&
                base && (LLVMIsAAllocaInst(base) || LLVMIsACallInst(base)) && is_only_base(m, i, base);
    LLVMValueRef own = dead ? bytes_of(e, base) : NULL;
    if (own && place) { /* the larger of two */
      LLVMValueRef more = LLVMBuildICmp(e->b, LLVMIntUGT, own, *bytes, "");
      place = LLVMBuildSelect(e->b, more, base, place, "");
      *bytes = LLVMBuildSelect(e->b, more, own, *bytes, "");
    } else if (own) {
      place = base;
      *bytes = own;
    }
  }
  free(used);
  return place;
}
