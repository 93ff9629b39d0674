/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the host does for a variant that runs on a GPU: a job, device memory for each array, what is copied there and back
 * (isl-bridge/ast/transfers.c says what; gpu.h has the flow). Where the job fails, no byte of the host's memory has changed
 * that the other code reads, so control goes on there. */
#include "emit/gpu/gpu.h"
#include <stdlib.h>

/* The address, i64, of the element of array number ARRAY at INDEX, in the host's memory */
static LLVMValueRef element_at(struct tsr_emit *e, int array, LLVMValueRef *index)
{
  const struct tsr_array_info *a = &e->m->arrays[array];
  LLVMValueRef bytes = tsr_emit_number(e, a->elem_size);
  LLVMValueRef at = LLVMBuildPtrToInt(e->b, tsr_emit_frozen(e, a->base), e->i64, "tsr.base");
  for (int d = a->n_dim - 1; d >= 0; d--) {
    at = LLVMBuildAdd(e->b, at, LLVMBuildMul(e->b, index[d], bytes, ""), "");
    if (d > 0)
      bytes = tsr_emit_pitch(e, a, d - 1, bytes);
  }
  return at;
}

/* The first byte of SPAN, of array number ARRAY, and how many there are: i64 */
static void span_bytes(struct tsr_emit *e, int array, const struct tsr_span_of_array *span, LLVMValueRef *first,
                       LLVMValueRef *bytes)
{
  LLVMValueRef index[2][TSR_PLACE_DIM];
  for (int d = 0; d < e->m->arrays[array].n_dim; d++) {
    index[0][d] = tsr_emit_expr(e, isl_ast_expr_copy(span->first[d]));
    index[1][d] = tsr_emit_expr(e, isl_ast_expr_copy(span->last[d]));
  }
  LLVMValueRef last = element_at(e, array, index[1]), any = tsr_emit_truth(e, isl_ast_expr_copy(span->any));
  *first = element_at(e, array, index[0]);
  last = LLVMBuildAdd(e->b, last, tsr_emit_number(e, e->m->arrays[array].elem_size), "");
  *bytes = LLVMBuildSelect(e->b, any, LLVMBuildSub(e->b, last, *first, ""), tsr_emit_number(e, 0), "tsr.bytes");
}

static LLVMValueRef pointer_to(struct tsr_emit *e, LLVMValueRef address)
{
  return LLVMBuildIntToPtr(e->b, address, LLVMPointerTypeInContext(e->llvm, 0), "");
}

/* Device memory for array number ARRAY, and what is in it at first. */
static void begin_array(struct tsr_emit *e, int array, const struct tsr_transfer *transfer)
{
  LLVMTypeRef nothing = LLVMVoidTypeInContext(e->llvm);
  LLVMValueRef first, bytes, from, one = tsr_emit_number(e, 1);
  if (!transfer->region.any)
    return;
  span_bytes(e, array, &transfer->region, &first, &bytes);
  LLVMValueRef args[] = {e->gpu->job, pointer_to(e, first), bytes};
  LLVMValueRef device = tsr_emit_call(e, "tsr_rt_array", e->i64, args, 3);
  e->gpu->delta[array] = LLVMBuildSub(e->b, device, first, "tsr.delta");
  if (!transfer->in.any)
    return;
  span_bytes(e, array, &transfer->in, &from, &bytes);
  LLVMValueRef to = LLVMBuildAdd(e->b, from, e->gpu->delta[array], "");
  LLVMValueRef copy[] = {e->gpu->job, to, pointer_to(e, from), bytes, bytes, one};
  tsr_emit_call(e, "tsr_rt_copy_in", nothing, copy, 6);
}

void tsr_emit_copied_row(struct tsr_emit *e, isl_ast_node *row)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  int array = e->gpu->array, n_dim = e->m->arrays[array].n_dim;
  LLVMValueRef index[TSR_PLACE_DIM + 1];
  isl_ast_expr *call = isl_ast_node_user_get_expr(row);
  for (int d = 0; d <= n_dim; d++)
    index[d] = tsr_emit_expr(e, isl_ast_expr_op_get_arg(call, d + 1));
  isl_ast_expr_free(call);
  LLVMValueRef first = element_at(e, array, index), one = tsr_emit_number(e, 1);
  LLVMValueRef n = LLVMBuildAdd(e->b, LLVMBuildSub(e->b, index[n_dim], index[n_dim - 1], ""), one, "");
  LLVMValueRef bytes = LLVMBuildMul(e->b, n, tsr_emit_number(e, e->m->arrays[array].elem_size), "");
  LLVMValueRef from = LLVMBuildAdd(e->b, first, e->gpu->delta[array], "");
  LLVMValueRef again = LLVMConstInt(i32, e->gpu->rows->again, false);
  LLVMValueRef args[] = {e->gpu->job, pointer_to(e, first), from, bytes, bytes, one, again};
  tsr_emit_call(e, "tsr_rt_copy_out", LLVMVoidTypeInContext(e->llvm), args, 7);
}

/* What is written in array number ARRAY, and seen behind the SCoP, comes back. */
static void end_array(struct tsr_emit *e, int array, const struct tsr_transfer *transfer)
{
  if (!transfer->rows)
    return;
  e->gpu->rows = transfer;
  e->gpu->array = array;
  e->emit_node(e, transfer->rows);
  e->gpu->rows = NULL;
}

/* Go on in a new block if COND holds, else in NEXT. */
static void go_on(struct tsr_emit *e, LLVMValueRef cond, const char *name, LLVMBasicBlockRef next)
{
  LLVMBasicBlockRef block = tsr_emit_block(e, name);
  LLVMBuildCondBr(e->b, cond, block, next);
  LLVMPositionBuilderAtEnd(e->b, block);
}

void tsr_emit_gpu(struct tsr_emit *e, const struct tsr_variant *variant, LLVMBasicBlockRef next, LLVMBasicBlockRef end)
{
  struct tsr_gpu_code gpu = {.delta = calloc(e->m->n_array + 1, sizeof(*gpu.delta))};
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm), pointer = LLVMPointerTypeInContext(e->llvm, 0);
  LLVMValueRef kernels = tsr_device_kernels(e->m->device);
  bool asked = e->m->opt->force || (e->plan->commanded && !e->plan->where_it_pays);
  if (!asked) {
    LLVMValueRef saves = tsr_emit_gpu_saves(e, variant), zero = LLVMConstReal(LLVMTypeOf(saves), 0);
    go_on(e, LLVMBuildFCmp(e->b, LLVMRealOGT, saves, zero, "tsr.pays"), "tsr.work", next);
    LLVMValueRef pays = tsr_emit_call(e, "tsr_rt_pays", i32, (LLVMValueRef[]){kernels, saves}, 2);
    go_on(e, LLVMBuildICmp(e->b, LLVMIntNE, pays, LLVMConstInt(i32, 0, false), ""), "tsr.begin", next);
  }
  gpu.job = tsr_emit_call(e, "tsr_rt_begin", pointer, &kernels, 1);
  go_on(e, LLVMBuildIsNotNull(e->b, gpu.job, ""), "tsr.gpu", next);
  if (e->m->has_errno)
    gpu.flag = tsr_emit_call(e, "tsr_rt_flag", e->i64, &gpu.job, 1);
  e->gpu = &gpu;
  for (int i = 0; i < e->m->n_array; i++)
    if (e->m->arrays[i].kind == TSR_ARRAY_MEMORY)
      begin_array(e, i, &variant->transfer[i]);
  e->emit_node(e, variant->ast);
  for (int i = 0; i < e->m->n_array; i++)
    if (e->m->arrays[i].kind == TSR_ARRAY_MEMORY)
      end_array(e, i, &variant->transfer[i]);
  LLVMValueRef done = tsr_emit_call(e, "tsr_rt_end", i32, &gpu.job, 1);
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, done, LLVMConstInt(i32, 0, false), ""), end, next);
  e->gpu = NULL;
  free(gpu.delta);
}
