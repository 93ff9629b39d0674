/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The map of threads/: parallel loops, and what has a copy a thread. */
#ifndef TSR_THREADS_H
#define TSR_THREADS_H

#include "emit/emitter.h"

/* ---- private_data.c ------------------------------------------------------------------------------------------------- */

/* e->private_of for the marks of VARIANT for threads, each of which has an id of its own. */
void tsr_emit_find_private(struct tsr_emit *e, const struct tsr_variant *variant);
void tsr_emit_free_private(struct tsr_emit *e);
/* The mark ABOVE, for threads, is above the next loop. */
void tsr_emit_enter_parallel(struct tsr_emit *e, const struct tsr_mark *above);

/* ---- enough_work.c -------------------------------------------------------------------------------------------------- */

/* Bind the iterator of the loop NODE to its middle. How often does it run? double */
LLVMValueRef tsr_emit_bind_middle(struct tsr_emit *e, __isl_keep isl_ast_node *node);
/* Statement instances in NODE, double; inner loops at the middle of the outer ones; an `if` counts as what it would run */
LLVMValueRef tsr_emit_work(struct tsr_emit *e, __isl_keep isl_ast_node *node);
/* Do the iterations of the loop NODE take the same time, as far as its AST tells? */
bool tsr_emit_is_even(struct tsr_emit *e, __isl_keep isl_ast_node *node);
/* (last - first) / step + 1 */
LLVMValueRef tsr_emit_trip_count(struct tsr_emit *e, const struct tsr_for *loop);
/* Trips of LOOP * work of one iteration, in its middle if all are alike > MIN_WORK */
LLVMValueRef tsr_emit_is_enough(struct tsr_emit *e, const struct tsr_for *loop);
/* i1: is the code at the builder's place run by one of several threads? */
LLVMValueRef tsr_emit_is_inside_team(struct tsr_emit *e);
/* i1: are there several threads, outside of parallel regions, and is there enough for them in a parallel loop of AST? */
LLVMValueRef tsr_emit_may_use_threads(struct tsr_emit *e, __isl_keep isl_ast_node *ast);

/* ---- team_loops.c --------------------------------------------------------------------------------------------------- */

/* The loop by a team of threads, guarded by a test of its trip count */
void tsr_emit_parallel(struct tsr_emit *e, const struct tsr_for *loop);
/* call outlined(data)  ->  call GOMP_parallel(outlined, data, size, 0): what JOB of M's outlines, a team's part, has become.
 */
void tsr_emit_team(struct tsr_model *m, const struct tsr_outline *job, LLVMValueRef call);

/* ---- doacross_rows.c ------------------------------------------------------------------------------------------------ */

/* In front of ROWS, which runs TRIPS times; how many threads shall there be, i32? One unless ENOUGH. */
LLVMValueRef tsr_emit_doacross_begin(struct tsr_emit *e, LLVMValueRef trips, LLVMValueRef enough);
/* In each thread: its rows; the loop NODE of columns in a row, where e->across is set */
void tsr_emit_doacross_rows(struct tsr_emit *e, const struct tsr_for *rows);
void tsr_emit_doacross_columns(struct tsr_emit *e, __isl_keep isl_ast_node *node);
/* Is the next loop one of these? */
bool tsr_emit_is_columns(struct tsr_emit *e);

/* ---- doacross_progress.c -------------------------------------------------------------------------------------------- */

/* In front of and behind the body for COLUMN */
void tsr_emit_doacross_wait(struct tsr_emit *e, const struct tsr_doacross *across, LLVMValueRef column);
void tsr_emit_doacross_tell(struct tsr_emit *e, const struct tsr_doacross *across, LLVMValueRef column);

#endif
