/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory for buffers: taken in front of the new code, given back behind it (kept_memory.c).
 *
 *   new:     br sizes are numbers that can be, fits, old          where they are known at run time alone
 *   fits:    br bytes of all buffers, of all threads if there are parallel loops, <= those of a dead array, buffers, own
 *   own:     memory = take(bytes)
 *            br memory != NULL, buffers, old
 *   buffers: the AST: moves "buffer[index] = element", reads from buffer[index]
 *   last:    give(memory), if it is that
 *
 * What is allocated has the arrays of a transformed program (array_buffers.c), for each thread; behind them the arrays of an
 * expansion (expanded_arrays.c).
 * Buffers begin at lines of 64 bytes. errno stays as it was. */
#include "emit/buffer/array_buffers.h"
#include "emit/buffer/kept_values.h"
#include <isl/id.h>
#include <isl/schedule_node.h>
#include <string.h>

/* What is known of the function's effects doesn't hold for memory that is taken, or kept for other threads. */
static void forget_effects(LLVMValueRef function)
{
  static const char *const stale[] = {"memory", "nofree", "nosync"};
  for (size_t i = 0; i < sizeof(stale) / sizeof(*stale); i++) {
    unsigned kind = LLVMGetEnumAttributeKindForName(stale[i], strlen(stale[i]));
    LLVMRemoveEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
  }
}

/* Is NODE something else than a mark for threads? */
static isl_bool is_not_parallel(isl_schedule_node *node, void *user)
{
  (void)user;
  return isl_bool_ok(!tsr_mark_is_for_threads(tsr_node_mark(node)));
}

/* Has the tree loops for threads? Other code must not need their library. */
static bool has_threads(struct tsr_emit *e)
{
  isl_schedule_node *root = isl_schedule_get_root(e->variant->tree);
  isl_bool none = isl_schedule_node_every_descendant(root, is_not_parallel, NULL);
  isl_schedule_node_free(root);
  return none != isl_bool_true;
}

/* Leaves the builder where FITS, i1, holds; else: to OLD. */
static void go_on_if(struct tsr_emit *e, LLVMValueRef fits, LLVMBasicBlockRef old)
{
  LLVMBasicBlockRef next = tsr_emit_block(e, "tsr.fits");
  tsr_emit_set_likely(e, LLVMBuildCondBr(e->b, fits, next, old));
  LLVMPositionBuilderAtEnd(e->b, next);
}

void tsr_emit_buffers(struct tsr_emit *e, LLVMBasicBlockRef old)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(e->llvm, 0);
  LLVMValueRef fits, arrays = tsr_array_buffers_find(e, &fits);
  if (!arrays && !e->m->expansion)
    return;
  if (fits)
    go_on_if(e, fits, old);
  forget_effects(e->m->function);
  LLVMValueRef bytes = arrays ? arrays : tsr_emit_number(e, 0);
  if (has_threads(e)) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
    LLVMValueRef team = LLVMBuildZExt(e->b, tsr_emit_call(e, "omp_get_max_threads", i32, NULL, 0), e->i64, "");
    bytes = LLVMBuildMul(e->b, bytes, team, "");
  }
  if (e->m->expansion) /* threads share them */
    bytes = tsr_emit_expanded_bytes(e, bytes, old);
  bytes = LLVMBuildAdd(e->b, bytes, tsr_emit_number(e, TSR_BUFFER_LINE), "tsr.bytes");
  LLVMBasicBlockRef ready = tsr_emit_block(e, "tsr.buffers"), here = NULL;
  LLVMValueRef free_bytes, first = arrays && !e->m->expansion ? tsr_dead_place_find(e, &free_bytes) : NULL;
  if (first) {
    LLVMBasicBlockRef own = tsr_emit_block(e, "tsr.own");
    LLVMValueRef enough = LLVMBuildICmp(e->b, LLVMIntUGE, free_bytes, bytes, "");
    enough =
        LLVMBuildSelect(e->b, LLVMBuildIsNotNull(e->b, first, ""), enough, LLVMConstInt(LLVMTypeOf(enough), 0, false), "");
    here = LLVMGetInsertBlock(e->b);
    LLVMBuildCondBr(e->b, enough, ready, own);
    LLVMPositionBuilderAtEnd(e->b, own);
  }
  e->memory = tsr_emit_memory_take(e, bytes);
  LLVMBasicBlockRef last = LLVMGetInsertBlock(e->b);
  tsr_emit_set_likely(e, LLVMBuildCondBr(e->b, LLVMBuildIsNotNull(e->b, e->memory, ""), ready, old));
  LLVMPositionBuilderAtEnd(e->b, ready);
  LLVMValueRef start = e->memory;
  if (first) {
    LLVMValueRef none = LLVMConstNull(pointer);
    start = LLVMBuildPhi(e->b, pointer, "tsr.place");
    LLVMAddIncoming(start, (LLVMValueRef[]){first, e->memory}, (LLVMBasicBlockRef[]){here, last}, 2);
    LLVMValueRef memory = LLVMBuildPhi(e->b, pointer, "tsr.memory");
    LLVMAddIncoming(memory, (LLVMValueRef[]){none, e->memory}, (LLVMBasicBlockRef[]){here, last}, 2);
    e->memory = memory;
  }
  LLVMValueRef over = LLVMBuildNeg(e->b, LLVMBuildPtrToInt(e->b, start, e->i64, ""), "");
  e->buffers = tsr_buffer_at(e, start, LLVMBuildAnd(e->b, over, tsr_emit_number(e, TSR_BUFFER_LINE - 1), ""));
  tsr_array_buffers_place(e, e->buffers, NULL);
  tsr_emit_expanded_place(e);
}

void tsr_emit_buffers_free(struct tsr_emit *e)
{
  bool none = !e->array_bytes && !e->m->expansion;
  tsr_array_buffers_free(e);
  if (!none)
    tsr_emit_memory_give(e, e->memory);
}
