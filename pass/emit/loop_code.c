/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A loop is rotated from the start, its bounds computed once in front of it:
 *
 *   at:     first, last; br first <= last, header, behind
 *   header: c = phi [first, at], [next, end of body]; body; next = c + step; br next <= last, header, behind
 *   behind: */
#include "emit/buffer/buffer.h"
#include "emit/gpu/gpu.h"
#include "emit/threads/threads.h"

/* May accesses of LOOP, a vector loop, be marked as parallel? */
static bool may_be_marked(struct tsr_emit *e, const struct tsr_for *loop)
{
  return LLVMIsAConstantInt(loop->step) &&
         !tsr_iteration_is_ordered(e->m->scop, loop->body, loop->iterator, (long)LLVMConstIntGetSExtValue(loop->step));
}

void tsr_emit_loop(struct tsr_emit *e, const struct tsr_for *loop)
{
  bool vector = e->vector && may_be_marked(e, loop), chain = e->chain, masked = e->masked;
  LLVMMetadataRef outer = e->access_group;
  int width = vector ? e->vector_width : 0;
  e->vector = e->chain = e->masked = false;
  e->vector_width = 0;
  e->access_group = vector ? tsr_md_distinct(e->llvm) : NULL;
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b);
  LLVMBasicBlockRef header = tsr_emit_block(e, "tsr.loop"), behind = tsr_emit_block(e, "tsr.behind");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, loop->first, loop->last, ""), header, behind);
  LLVMPositionBuilderAtEnd(e->b, header);
  LLVMValueRef counter = LLVMBuildPhi(e->b, e->i64, "tsr.c");
  int n_var = e->n_var;
  tsr_emit_bind(e, loop->iterator, counter);
  e->var[n_var].header = header;
  e->var[n_var].first = loop->first;
  if (loop->across)
    tsr_emit_doacross_wait(e, loop->across, counter);
  e->emit_node(e, loop->body);
  if (loop->across)
    tsr_emit_doacross_tell(e, loop->across, counter);
  tsr_emit_doubled_end(e, loop, at);
  tsr_emit_unbind(e, n_var);
  LLVMValueRef next = LLVMBuildNSWAdd(e->b, counter, loop->step, "tsr.next");
  LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
  LLVMValueRef again = LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, next, loop->last, ""), header, behind);
  e->vector_width = width;
  bool whole = chain || e->edges || tsr_emit_is_around_loops(e, loop);
  e->blocks = loop->blocks;
  tsr_set_metadata(again, "llvm.loop", tsr_emit_loop_id(e, e->access_group, whole));
  e->blocks = false;
  e->vector_width = 0;
  LLVMValueRef first = loop->first;
  LLVMAddIncoming(counter, &first, &at, 1);
  LLVMAddIncoming(counter, &next, &end, 1);
  LLVMPositionBuilderAtEnd(e->b, behind);
  e->access_group = outer;
  e->masked |= masked;
}
