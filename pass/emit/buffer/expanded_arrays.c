/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory for scalars that have become arrays (read/memory/expanded_scalars.c): behind the other buffers. New code has been
 * written with a placeholder for each array's address; once a variant is written, it gets the real one. */
#include "emit/buffer/buffer.h"
#include "emit/buffer/kept_values.h"

/* More elements than this, of a megabyte each 131072, are left to the original: such a product has several times as much
 * data of its own. */
#define MOST_BYTES (INT64_C(64) << 20)
/* All of them together may have so many: four such arrays. */
#define MOST_OF_ALL (4 * MOST_BYTES)

/* Bytes of an element of X */
static int64_t element_size(struct tsr_emit *e, const struct tsr_expanded *x)
{
  return (int64_t)tsr_type_alloc_size(e->m->module, LLVMTypeOf(LLVMGetOperand(x->store, 0)));
}

/* Elements of X; *FITS (NULL: so far all is well) becomes: is that no more than what is allowed, and nothing has wrapped? */
static LLVMValueRef count_elements(struct tsr_emit *e, const struct tsr_expanded *x, LLVMValueRef *fits)
{
  LLVMValueRef most = tsr_emit_number(e, MOST_BYTES / element_size(e, x));
  LLVMValueRef rows = LLVMBuildIntCast2(e->b, tsr_emit_scev(e, x->rows), e->i64, false, "");
  rows = LLVMBuildAdd(e->b, rows, tsr_emit_number(e, 1), "tsr.rows");
  LLVMValueRef columns = x->columns ? tsr_emit_frozen(e, tsr_emit_hoisted(e, x->columns)) : tsr_emit_number(e, 1);
  LLVMValueRef all = LLVMBuildMul(e->b, rows, columns, "");
  LLVMValueRef number[] = {rows, columns, all}; /* below 2^27 each of the first two, so that the third doesn't wrap */
  for (int i = 0; i < 3; i++) {
    LLVMValueRef few = LLVMBuildICmp(e->b, LLVMIntULE, number[i], most, "");
    *fits = *fits ? LLVMBuildAnd(e->b, *fits, few, "") : few;
  }
  return all;
}

LLVMValueRef tsr_emit_expanded_bytes(struct tsr_emit *e, LLVMValueRef bytes, LLVMBasicBlockRef old)
{
  const struct tsr_expansion *all = e->m->expansion;
  LLVMValueRef fits = NULL, line = tsr_emit_number(e, TSR_BUFFER_LINE - 1), others = bytes;
  for (int i = 0; i < all->n; i++) {
    bytes = LLVMBuildAnd(e->b, LLVMBuildAdd(e->b, bytes, line, ""), LLVMBuildNot(e->b, line, ""), "");
    e->expanded[i] = bytes;
    LLVMValueRef n = count_elements(e, &all->item[i], &fits);
    bytes = LLVMBuildAdd(e->b, bytes, LLVMBuildMul(e->b, n, tsr_emit_number(e, element_size(e, &all->item[i])), ""), "");
  }
  LLVMValueRef own = LLVMBuildSub(e->b, bytes, others, "");
  fits = LLVMBuildAnd(e->b, fits, LLVMBuildICmp(e->b, LLVMIntULE, own, tsr_emit_number(e, MOST_OF_ALL), ""), "");
  LLVMBasicBlockRef small = tsr_emit_block(e, "tsr.expanded");
  LLVMBuildCondBr(e->b, fits, small, old);
  LLVMPositionBuilderAtEnd(e->b, small);
  return bytes;
}

void tsr_emit_expanded_place(struct tsr_emit *e)
{
  for (int i = 0; e->m->expansion && i < e->m->expansion->n; i++)
    e->expanded[i] = tsr_buffer_at(e, e->buffers, e->expanded[i]);
}

void tsr_emit_expanded_use(struct tsr_emit *e, int first)
{
  for (int i = 0; e->m->expansion && i < e->m->expansion->n; i++)
    tsr_replace_uses_inside(e->m->expansion->item[i].base, e->expanded[i], e->fresh.block + first, e->fresh.n - first);
}
