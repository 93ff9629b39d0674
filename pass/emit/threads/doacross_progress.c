/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How far threads are in the rows of a doacross loop (doacross_rows.c), told to the next one, and waited for. */
#include "emit/threads/doacross_progress.h"
#include <string.h>

/* Looks at another thread's progress before others may have the core. */
#define PATIENCE 2000

LLVMValueRef tsr_progress_at(struct tsr_emit *e, LLVMValueRef pointer, LLVMValueRef offset)
{
  return LLVMBuildInBoundsGEP2(e->b, LLVMInt8TypeInContext(e->llvm), pointer, &offset, 1, "");
}

void tsr_progress_store(struct tsr_emit *e, LLVMValueRef value, LLVMValueRef progress, int offset)
{
  LLVMValueRef store = LLVMBuildStore(e->b, value, tsr_progress_at(e, progress, tsr_emit_number(e, offset)));
  LLVMSetOrdering(store, LLVMAtomicOrderingRelease);
}

/* What PROGRESS says at OFFSET */
static LLVMValueRef load_progress(struct tsr_emit *e, LLVMValueRef progress, int offset)
{
  LLVMValueRef load = LLVMBuildLoad2(e->b, e->i64, tsr_progress_at(e, progress, tsr_emit_number(e, offset)), "");
  LLVMSetOrdering(load, LLVMAtomicOrderingAcquire);
  return load;
}

/* What tells the core that it waits, where there is such a thing. */
static void emit_pause(struct tsr_emit *e)
{
  static const char name[] = "llvm.x86.sse2.pause";
  const char *target = LLVMGetTarget(e->m->module);
  unsigned id =
      strncmp(target, "x86_64", 6) && strncmp(target, "i686", 4) ? 0 : LLVMLookupIntrinsicID(name, sizeof(name) - 1);
  if (!id)
    return;
  LLVMValueRef pause = LLVMGetIntrinsicDeclaration(e->m->module, id, NULL, 0);
  LLVMBuildCall2(e->b, LLVMGlobalGetValueType(pause), pause, NULL, 0, "");
}

/* look:  row > p' || (row == p' && column > q) ? behind : again        again:  after PATIENCE looks, yield; pause; look */
void tsr_emit_doacross_wait(struct tsr_emit *e, const struct tsr_doacross *across, LLVMValueRef column)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b), look = tsr_emit_block(e, "tsr.wait"), again, yield, pause, behind;
  LLVMValueRef zero = tsr_emit_number(e, 0);
  LLVMBuildBr(e->b, look);
  LLVMPositionBuilderAtEnd(e->b, look);
  LLVMValueRef looks = LLVMBuildPhi(e->b, e->i64, "tsr.looks");
  LLVMAddIncoming(looks, &zero, &from, 1);
  LLVMValueRef at_row = load_progress(e, across->before, TSR_PROGRESS_ROW),
               at_column = load_progress(e, across->before, TSR_PROGRESS_COLUMN);
  LLVMValueRef same = LLVMBuildICmp(e->b, LLVMIntEQ, at_row, across->waited_for, "");
  same = LLVMBuildAnd(e->b, same, LLVMBuildICmp(e->b, LLVMIntSGT, at_column, column, ""), "");
  LLVMValueRef over = LLVMBuildOr(e->b, LLVMBuildICmp(e->b, LLVMIntSGT, at_row, across->waited_for, ""), same, "tsr.over");
  again = tsr_emit_block(e, "tsr.again");
  yield = tsr_emit_block(e, "tsr.yield");
  pause = tsr_emit_block(e, "tsr.pause");
  behind = tsr_emit_block(e, "tsr.go");
  LLVMBuildCondBr(e->b, over, behind, again);
  LLVMPositionBuilderAtEnd(e->b, again);
  LLVMValueRef next = LLVMBuildAdd(e->b, looks, tsr_emit_number(e, 1), "");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSGT, next, tsr_emit_number(e, PATIENCE), ""), yield, pause);
  LLVMPositionBuilderAtEnd(e->b, yield);
  tsr_emit_call(e, "sched_yield", i32, NULL, 0);
  LLVMBuildBr(e->b, pause);
  LLVMPositionBuilderAtEnd(e->b, pause);
  emit_pause(e);
  LLVMBuildBr(e->b, look);
  LLVMAddIncoming(looks, &next, &pause, 1);
  LLVMPositionBuilderAtEnd(e->b, behind);
}

void tsr_emit_doacross_tell(struct tsr_emit *e, const struct tsr_doacross *across, LLVMValueRef column)
{
  tsr_progress_store(e, LLVMBuildAdd(e->b, column, tsr_emit_number(e, 1), ""), across->mine, TSR_PROGRESS_COLUMN);
}
