/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A doacross loop: rows p, of columns q. Threads take rows in turn, and tell each other how far they are:
 *
 *   progress[0 .. n-1] = { row, column }, in front of all of them
 *   GOMP_parallel, thread t of n:
 *     for (p = first + t * step; p <= last; p += n * step)
 *       progress[t].column = none;  progress[t].row = p
 *       for q
 *         until (row > p - step || (row == p - step && column > q)) of progress[t - 1]: wait
 *         the body
 *         progress[t].column = q + 1
 *       progress[t].column = all
 *     progress[t].row = all
 *
 * Stores release and loads acquire; the row is loaded first. If it is p - step, then the column is one of that row or of a
 * later one: what it tells is over, is. Some thread has the first row of those that aren't over and waits for nobody, so
 * all go on. The first row waits for a row below all. */
#include "pass.h"
#include <stdlib.h>
#include <string.h>

/* Threads at most; bytes of each's progress, two lines, as they are fetched in pairs. */
#define MOST_THREADS 64
#define PROGRESS 128
/* In each byte of what is below all rows and columns. */
#define BELOW_ALL 0x80
/* Looks at another thread's progress before others may have the core. */
#define PATIENCE 2000

struct tsr_doacross {
  const char *rows;             /* their iterator */
  LLVMValueRef mine, before;    /* progress of this thread and of the one before */
  LLVMValueRef first, step;     /* of all rows */
  LLVMValueRef row, waited_for; /* of the present row: i64 */
};

static LLVMValueRef number(struct tsr_emit *e, int64_t value)
{
  return LLVMConstInt(e->i64, (uint64_t)value, true);
}

static LLVMValueRef at_byte(struct tsr_emit *e, LLVMValueRef pointer, LLVMValueRef offset)
{
  return LLVMBuildInBoundsGEP2(e->b, LLVMInt8TypeInContext(e->llvm), pointer, &offset, 1, "");
}

static void store_progress(struct tsr_emit *e, LLVMValueRef value, LLVMValueRef progress, int offset)
{
  LLVMValueRef store = LLVMBuildStore(e->b, value, at_byte(e, progress, number(e, offset)));
  LLVMSetOrdering(store, LLVMAtomicOrderingRelease);
}

static LLVMValueRef load_progress(struct tsr_emit *e, LLVMValueRef progress, int offset)
{
  LLVMValueRef load = LLVMBuildLoad2(e->b, e->i64, at_byte(e, progress, number(e, offset)), "");
  LLVMSetOrdering(load, LLVMAtomicOrderingAcquire);
  return load;
}

enum { ROW = 0, COLUMN = 8 };

LLVMValueRef tsr_emit_doacross_begin(struct tsr_emit *e, LLVMValueRef trips, LLVMValueRef enough)
{
  LLVMTypeRef i8 = LLVMInt8TypeInContext(e->llvm), i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b);
  if (!e->progress) {
    LLVMPositionBuilderBefore(e->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(e->m->function)));
    e->progress = LLVMBuildAlloca(e->b, LLVMArrayType2(i8, MOST_THREADS * PROGRESS), "tsr.progress");
    LLVMSetAlignment(e->progress, PROGRESS);
    LLVMPositionBuilderAtEnd(e->b, at);
  }
  LLVMBuildMemSet(e->b, e->progress, LLVMConstInt(i8, BELOW_ALL, false), number(e, MOST_THREADS * PROGRESS), PROGRESS);
  LLVMValueRef size = LLVMBuildSExt(e->b, tsr_emit_call(e, "omp_get_max_threads", i32, NULL, 0), e->i64, "");
  LLVMValueRef most[2] = {number(e, MOST_THREADS), trips};
  for (int i = 0; i < 2; i++)
    size = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, size, most[i], ""), size, most[i], "");
  size = LLVMBuildSelect(e->b, enough, size, number(e, 1), "");
  return LLVMBuildTrunc(e->b, size, i32, "tsr.size");
}

void tsr_emit_doacross_rows(struct tsr_emit *e, const struct tsr_for *rows)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef team = LLVMBuildSExt(e->b, tsr_emit_call(e, "omp_get_num_threads", i32, NULL, 0), e->i64, "");
  LLVMValueRef id = LLVMBuildSExt(e->b, tsr_emit_call(e, "omp_get_thread_num", i32, NULL, 0), e->i64, "");
  LLVMValueRef back = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, id, number(e, 0), ""), team, id, "");
  back = LLVMBuildSub(e->b, back, number(e, 1), "");
  struct tsr_doacross across = {.rows = rows->iterator, .first = rows->first, .step = rows->step};
  across.mine = at_byte(e, e->progress, LLVMBuildMul(e->b, id, number(e, PROGRESS), ""));
  across.before = at_byte(e, e->progress, LLVMBuildMul(e->b, back, number(e, PROGRESS), ""));
  struct tsr_for mine = *rows;
  mine.first = LLVMBuildAdd(e->b, rows->first, LLVMBuildMul(e->b, id, rows->step, ""), "");
  mine.step = LLVMBuildMul(e->b, team, rows->step, "");
  e->across = &across;
  tsr_emit_loop(e, &mine);
  e->across = NULL;
  store_progress(e, number(e, INT64_MAX), across.mine, ROW);
}

void tsr_emit_doacross_columns(struct tsr_emit *e, isl_ast_node *node)
{
  struct tsr_doacross *across = e->across;
  struct tsr_for loop = {.iterator = tsr_emit_iterator_name(node), .body = isl_ast_node_for_get_body(node)};
  if (isl_ast_node_for_is_degenerate(node) == isl_bool_true) {
    loop.first = loop.last = tsr_emit_expr(e, isl_ast_node_for_get_init(node));
    loop.step = number(e, 1);
  } else {
    tsr_emit_bounds(e, node, &loop);
  }
  for (int i = 0; i < e->n_var; i++)
    if (!strcmp(e->var[i].name, across->rows))
      across->row = e->var[i].value;
  LLVMValueRef is_first = LLVMBuildICmp(e->b, LLVMIntEQ, across->row, across->first, "");
  LLVMValueRef previous = LLVMBuildSub(e->b, across->row, across->step, "");
  across->waited_for = LLVMBuildSelect(e->b, is_first, number(e, INT64_MIN), previous, "");
  store_progress(e, number(e, INT64_MIN), across->mine, COLUMN);
  store_progress(e, across->row, across->mine, ROW);
  loop.across = across;
  e->across = NULL; /* what is inside are other loops */
  tsr_emit_loop(e, &loop);
  e->across = across;
  store_progress(e, number(e, INT64_MAX), across->mine, COLUMN);
  free(loop.iterator);
  isl_ast_node_free(loop.body);
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
  LLVMValueRef zero = number(e, 0);
  LLVMBuildBr(e->b, look);
  LLVMPositionBuilderAtEnd(e->b, look);
  LLVMValueRef looks = LLVMBuildPhi(e->b, e->i64, "tsr.looks");
  LLVMAddIncoming(looks, &zero, &from, 1);
  LLVMValueRef at_row = load_progress(e, across->before, ROW), at_column = load_progress(e, across->before, COLUMN);
  LLVMValueRef same = LLVMBuildICmp(e->b, LLVMIntEQ, at_row, across->waited_for, "");
  same = LLVMBuildAnd(e->b, same, LLVMBuildICmp(e->b, LLVMIntSGT, at_column, column, ""), "");
  LLVMValueRef over = LLVMBuildOr(e->b, LLVMBuildICmp(e->b, LLVMIntSGT, at_row, across->waited_for, ""), same, "tsr.over");
  again = tsr_emit_block(e, "tsr.again");
  yield = tsr_emit_block(e, "tsr.yield");
  pause = tsr_emit_block(e, "tsr.pause");
  behind = tsr_emit_block(e, "tsr.go");
  LLVMBuildCondBr(e->b, over, behind, again);
  LLVMPositionBuilderAtEnd(e->b, again);
  LLVMValueRef next = LLVMBuildAdd(e->b, looks, number(e, 1), "");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSGT, next, number(e, PATIENCE), ""), yield, pause);
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
  store_progress(e, LLVMBuildAdd(e->b, column, number(e, 1), ""), across->mine, COLUMN);
}
