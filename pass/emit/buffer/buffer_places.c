/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where buffers are in what was allocated: those of a thread behind those of the one before. */
#include "emit/buffer/array_buffers.h"
#include "emit/buffer/kept_values.h"

LLVMValueRef tsr_buffer_at(struct tsr_emit *e, LLVMValueRef pointer, LLVMValueRef bytes)
{
  return LLVMBuildInBoundsGEP2(e->b, LLVMInt8TypeInContext(e->llvm), pointer, &bytes, 1, "tsr.buffer");
}

/* Where the memory of the present thread begins. */
static LLVMValueRef place_of_thread(struct tsr_emit *e)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef id = LLVMBuildZExt(e->b, tsr_emit_call(e, "omp_get_thread_num", i32, NULL, 0), e->i64, "");
  return tsr_buffer_at(e, e->buffers, LLVMBuildMul(e->b, id, e->array_bytes, ""));
}

void tsr_emit_buffers_of_thread(struct tsr_emit *e, isl_ast_node *body)
{
  if (tsr_array_buffers_are_in(e, body))
    tsr_array_buffers_place(e, place_of_thread(e), body);
}
