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
 * Moves beside the loop over columns are in front of the first wait, and behind what is told last.
 *
 * Stores release and loads acquire; the row is loaded first. If it is p - step, then the column is one of that row or of a
 * later one: what it tells is over, is. Some thread has the first row of those that aren't over and waits for nobody, so
 * all go on. The first row waits for a row below all. */
#include "emit/threads/doacross_progress.h"
#include <stdlib.h>
#include <string.h>

/* Threads at most; bytes of each's progress, two lines, as they are fetched in pairs. */
#define MOST_THREADS 64
#define PROGRESS 128
/* In each byte of what is below all rows and columns. */
#define BELOW_ALL 0x80

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
  LLVMBuildMemSet(e->b, e->progress, LLVMConstInt(i8, BELOW_ALL, false), tsr_emit_number(e, MOST_THREADS * PROGRESS),
                  PROGRESS);
  LLVMValueRef size = LLVMBuildSExt(e->b, tsr_emit_call(e, "omp_get_max_threads", i32, NULL, 0), e->i64, "");
  LLVMValueRef most[2] = {tsr_emit_number(e, MOST_THREADS), trips};
  for (int i = 0; i < 2; i++)
    size = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, size, most[i], ""), size, most[i], "");
  size = LLVMBuildSelect(e->b, enough, size, tsr_emit_number(e, 1), "");
  return LLVMBuildTrunc(e->b, size, i32, "tsr.size");
}

void tsr_emit_doacross_rows(struct tsr_emit *e, const struct tsr_for *rows)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef team = LLVMBuildSExt(e->b, tsr_emit_call(e, "omp_get_num_threads", i32, NULL, 0), e->i64, "");
  LLVMValueRef id = LLVMBuildSExt(e->b, tsr_emit_call(e, "omp_get_thread_num", i32, NULL, 0), e->i64, "");
  LLVMValueRef back = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, id, tsr_emit_number(e, 0), ""), team, id, "");
  back = LLVMBuildSub(e->b, back, tsr_emit_number(e, 1), "");
  struct tsr_doacross across = {
      .rows = rows->iterator, .first = rows->first, .step = rows->step, .marked = tsr_ast_has_steps(rows->body)};
  across.mine = tsr_progress_at(e, e->progress, LLVMBuildMul(e->b, id, tsr_emit_number(e, PROGRESS), ""));
  across.before = tsr_progress_at(e, e->progress, LLVMBuildMul(e->b, back, tsr_emit_number(e, PROGRESS), ""));
  struct tsr_for mine = *rows;
  mine.first = LLVMBuildAdd(e->b, rows->first, LLVMBuildMul(e->b, id, rows->step, ""), "");
  mine.step = LLVMBuildMul(e->b, team, rows->step, "");
  e->across = &across;
  tsr_emit_loop(e, &mine);
  e->across = NULL;
  tsr_progress_store(e, tsr_emit_number(e, INT64_MAX), across.mine, TSR_PROGRESS_ROW);
}

bool tsr_emit_is_columns(struct tsr_emit *e)
{
  return e->across && (!e->across->marked || e->steps);
}

void tsr_emit_doacross_columns(struct tsr_emit *e, isl_ast_node *node)
{
  struct tsr_doacross *across = e->across;
  struct tsr_for loop = {.iterator = tsr_emit_iterator_name(node), .body = isl_ast_node_for_get_body(node)};
  if (isl_ast_node_for_is_degenerate(node) == isl_bool_true) {
    loop.first = loop.last = tsr_emit_expr(e, isl_ast_node_for_get_init(node));
    loop.step = tsr_emit_number(e, 1);
  } else {
    tsr_emit_bounds(e, node, &loop);
  }
  for (int i = 0; i < e->n_var; i++)
    if (!strcmp(e->var[i].name, across->rows))
      across->row = e->var[i].value;
  LLVMValueRef is_first = LLVMBuildICmp(e->b, LLVMIntEQ, across->row, across->first, "");
  LLVMValueRef previous = LLVMBuildSub(e->b, across->row, across->step, "");
  across->waited_for = LLVMBuildSelect(e->b, is_first, tsr_emit_number(e, INT64_MIN), previous, "");
  tsr_progress_store(e, tsr_emit_number(e, INT64_MIN), across->mine, TSR_PROGRESS_COLUMN);
  tsr_progress_store(e, across->row, across->mine, TSR_PROGRESS_ROW);
  loop.across = across;
  e->across = NULL; /* what is inside are other loops */
  tsr_emit_loop(e, &loop);
  e->across = across;
  tsr_progress_store(e, tsr_emit_number(e, INT64_MAX), across->mine, TSR_PROGRESS_COLUMN);
  free(loop.iterator);
  isl_ast_node_free(loop.body);
}
