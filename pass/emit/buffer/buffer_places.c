/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where buffers are in what was allocated: those of packed operands one behind the other, then the panel; those of a thread
 * behind those of the one before. */
#include "emit/buffer/array_buffers.h"
#include "emit/buffer/packed_values.h"
#include <string.h>

int64_t tsr_pack_element_size(struct tsr_emit *e, int number)
{
  LLVMTypeRef type = LLVMTypeOf(e->packed[number]);
  switch (LLVMGetTypeKind(type)) {
  case LLVMDoubleTypeKind:
    return 8;
  case LLVMFloatTypeKind:
    return 4;
  case LLVMIntegerTypeKind:
    return LLVMGetIntTypeWidth(type) / 8;
  default:
    return 2;
  }
}

/* Bytes of buffer NUMBER, in whole lines. */
static int64_t size_of(struct tsr_emit *e, int number)
{
  const struct tsr_pack *pack = &e->pack[number];
  int64_t bytes = tsr_pack_element_size(e, number) * pack->size[0] * pack->size[1] * pack->size[2];
  return (bytes + TSR_BUFFER_LINE - 1) / TSR_BUFFER_LINE * TSR_BUFFER_LINE;
}

LLVMValueRef tsr_buffer_at(struct tsr_emit *e, LLVMValueRef pointer, LLVMValueRef bytes)
{
  return LLVMBuildInBoundsGEP2(e->b, LLVMInt8TypeInContext(e->llvm), pointer, &bytes, 1, "tsr.buffer");
}

void tsr_buffers_place(struct tsr_emit *e, LLVMValueRef first)
{
  int64_t at = 0;
  for (int i = 0; i < e->n_pack; i++) {
    e->buffer[i] = tsr_buffer_at(e, first, tsr_emit_number(e, at));
    at += size_of(e, i);
  }
}

int64_t tsr_buffers_size(struct tsr_emit *e)
{
  int64_t bytes = 0;
  for (int i = 0; i < e->n_pack; i++)
    bytes += size_of(e, i);
  return bytes;
}

struct found {
  bool filled[TSR_MAX_PACK]; /* which buffers? */
  bool used;                 /* some? Else threads share the copies. */
};

/* What NODE, of an AST, does with buffers, noted in USER. */
static isl_bool find_copy(isl_ast_node *node, void *user)
{
  struct found *found = user;
  const struct tsr_packed *packed = isl_ast_node_get_type(node) == isl_ast_node_user ? tsr_ast_packed(node) : NULL;
  if (packed && packed->copy)
    found->filled[packed->item[0].number] = true;
  found->used |= packed && !packed->copy;
  return isl_bool_true;
}

void tsr_emit_buffers_of_thread(struct tsr_emit *e, isl_ast_node *body)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef shared[TSR_MAX_PACK];
  struct found found = {.used = false};
  bool any = false;
  if (tsr_array_buffers_are_in(e, body)) {
    LLVMValueRef id = LLVMBuildZExt(e->b, tsr_emit_call(e, "omp_get_thread_num", i32, NULL, 0), e->i64, "");
    tsr_array_buffers_place(e, tsr_buffer_at(e, e->buffers, LLVMBuildMul(e->b, id, e->array_bytes, "")), body);
  }
  isl_ast_node_foreach_descendant_top_down(body, find_copy, &found);
  for (int i = 0; i < e->n_pack; i++)
    any |= found.filled[i];
  if (!any || !found.used)
    return;
  memcpy(shared, e->buffer, sizeof(shared));
  LLVMValueRef id = LLVMBuildZExt(e->b, tsr_emit_call(e, "omp_get_thread_num", i32, NULL, 0), e->i64, "");
  tsr_buffers_place(e, tsr_buffer_at(e, e->buffers, LLVMBuildMul(e->b, id, tsr_emit_number(e, tsr_buffers_size(e)), "")));
  for (int i = 0; i < e->n_pack; i++)
    if (!found.filled[i])
      e->buffer[i] = shared[i];
}

LLVMValueRef tsr_emit_panel_buffer(struct tsr_emit *e, LLVMValueRef bytes)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef own = tsr_emit_number(e, tsr_buffers_size(e));
  if (e->in_parallel) {
    LLVMValueRef id = LLVMBuildZExt(e->b, tsr_emit_call(e, "omp_get_thread_num", i32, NULL, 0), e->i64, "");
    own = LLVMBuildAdd(e->b, own, LLVMBuildMul(e->b, id, LLVMBuildAdd(e->b, own, bytes, ""), ""), "");
  }
  return tsr_buffer_at(e, e->buffers, own);
}
