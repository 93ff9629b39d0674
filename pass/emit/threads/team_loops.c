/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A parallel loop.
 *
 *   enough work and not inside a parallel region?
 *     yes:  GOMP_parallel(outlined, data, 0, 0)
 *     no:   the loop as it is
 *
 * Where a variant is for threads alone, both are asked in front of all (emit.c), of loops in the middle of
 * those around them, and a loop with little work is one of a team of one:  GOMP_parallel(outlined, data, enough ? 0 : 1, 0)
 *
 *   outlined, static:   each thread takes one contiguous part of the iterations
 *   outlined, dynamic:  threads ask for iterations with GOMP_loop_dynamic_start / _next (when the work isn't rectangular)
 *
 * The parallel part is first written in place and then moved out by LLVM's CodeExtractor, which makes the struct of captured
 * values, keeps debug information right and copies the target's attributes. Scalars whose values stay within an iteration
 * get a slot of their own in the outlined function. */
#include "emit/buffer/array_buffers.h"
#include "emit/buffer/buffer.h"
#include "emit/threads/threads.h"
#include <stdlib.h>
#include <string.h>

/* first + id * part .. min(last, first + (id + 1) * part - step) */
static void emit_static(struct tsr_emit *e, const struct tsr_for *loop)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef team = LLVMBuildSExt(e->b, tsr_emit_call(e, "omp_get_num_threads", i32, NULL, 0), e->i64, "");
  LLVMValueRef id = LLVMBuildSExt(e->b, tsr_emit_call(e, "omp_get_thread_num", i32, NULL, 0), e->i64, "");
  LLVMValueRef trips = tsr_emit_trip_count(e, loop);
  LLVMValueRef part =
      LLVMBuildSDiv(e->b, LLVMBuildAdd(e->b, trips, LLVMBuildSub(e->b, team, tsr_emit_number(e, 1), ""), ""), team, "");
  part = LLVMBuildMul(e->b, part, loop->step, "");
  struct tsr_for mine = *loop;
  mine.first = LLVMBuildAdd(e->b, loop->first, LLVMBuildMul(e->b, id, part, ""), "");
  LLVMValueRef end = LLVMBuildSub(e->b, LLVMBuildAdd(e->b, mine.first, part, ""), loop->step, "");
  mine.last = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, end, loop->last, ""), end, loop->last, "");
  tsr_emit_loop(e, &mine);
}

/* Parts of a loop that each thread of a team may ask for: enough for an even end; of long loops fewer. */
enum { PARTS = 32, LONG_PARTS = 6 };

/* Neighbours in a line of memory, as a rule; most iterations of a part of a long loop. */
enum { NEIGHBOURS = 8, LONG_PART = 64 };

/* VALUE where KEEP holds for it and BOUND, else BOUND */
static LLVMValueRef limit(struct tsr_emit *e, LLVMIntPredicate keep, LLVMValueRef value, int64_t bound)
{
  return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, keep, value, tsr_emit_number(e, bound), ""), value,
                         tsr_emit_number(e, bound), "");
}

/* How many iterations a thread asks for at a time. Neighbouring ones often write to one cache line: where each thread has
 * some dozens of them, it gets whole lines, so that few lines are shared with others, who are at work next to it. */
static LLVMValueRef chunk_size(struct tsr_emit *e, const struct tsr_for *loop)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef team = LLVMBuildSExt(e->b, tsr_emit_call(e, "omp_get_num_threads", i32, NULL, 0), e->i64, "");
  LLVMValueRef trips = tsr_emit_trip_count(e, loop);
  LLVMValueRef least =
      limit(e, LLVMIntSGT, LLVMBuildSDiv(e->b, trips, LLVMBuildMul(e->b, team, tsr_emit_number(e, PARTS), ""), ""), 1);
  LLVMValueRef lines = LLVMBuildSDiv(e->b, trips, LLVMBuildMul(e->b, team, tsr_emit_number(e, LONG_PARTS), ""), "");
  lines = LLVMBuildAnd(e->b, limit(e, LLVMIntSLT, lines, LONG_PART), tsr_emit_number(e, -NEIGHBOURS), "");
  return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSGT, lines, least, ""), lines, least, "");
}

/* Parts of the iterations, each for the thread that asks for it. */
static void emit_dynamic(struct tsr_emit *e, const struct tsr_for *loop)
{
  LLVMTypeRef i1 = LLVMInt1TypeInContext(e->llvm), i8 = LLVMInt8TypeInContext(e->llvm);
  LLVMValueRef from = LLVMBuildAlloca(e->b, e->i64, "tsr.from"), to = LLVMBuildAlloca(e->b, e->i64, "tsr.to");
  LLVMValueRef end = LLVMBuildAdd(e->b, loop->last, tsr_emit_number(e, 1), "");
  LLVMValueRef args[6] = {loop->first, end, loop->step, chunk_size(e, loop), from, to};
  LLVMValueRef more = LLVMBuildTrunc(e->b, tsr_emit_call(e, "GOMP_loop_dynamic_start", i8, args, 6), i1, "");
  LLVMBasicBlockRef chunk = tsr_emit_block(e, "tsr.chunk"), done = tsr_emit_block(e, "tsr.done");
  LLVMBuildCondBr(e->b, more, chunk, done);
  LLVMPositionBuilderAtEnd(e->b, chunk);
  struct tsr_for mine = *loop;
  mine.first = LLVMBuildLoad2(e->b, e->i64, from, "");
  mine.last = LLVMBuildSub(e->b, LLVMBuildLoad2(e->b, e->i64, to, ""), tsr_emit_number(e, 1), "");
  tsr_emit_loop(e, &mine);
  more = LLVMBuildTrunc(e->b, tsr_emit_call(e, "GOMP_loop_dynamic_next", i8, &args[4], 2), i1, "");
  LLVMBuildCondBr(e->b, more, chunk, done);
  LLVMPositionBuilderAtEnd(e->b, done);
  tsr_emit_call(e, "GOMP_loop_end_nowait", LLVMVoidTypeInContext(e->llvm), NULL, 0);
}

/* Scalars used in the parallel part get slots of their own (the checker has shown that no value crosses iterations). */
static LLVMValueRef *private_slots(struct tsr_emit *e)
{
  LLVMValueRef *saved = calloc(e->m->n_array + 1, sizeof(*saved));
  for (int i = 0; i < e->m->n_array; i++) {
    struct tsr_array_info *a = &e->m->arrays[i];
    saved[i] = a->slot;
    if (a->kind == TSR_ARRAY_SCALAR && !a->home && e->private_array[i])
      a->slot = tsr_emit_slot(e, LLVMTypeOf(a->origin));
  }
  return saved;
}

/* ---- errno belongs to a thread. What calls in a team's loop give it, one value only, is told to the thread that came here:
 *
 *   told = 0
 *   outlined:  was = errno; errno = 0; the loop; if (errno) told = errno; errno = was
 *   if (told) errno = told */

/* Where errno of the present thread is */
static LLVMValueRef errno_place(struct tsr_emit *e)
{
  return tsr_emit_call(e, "__errno_location", LLVMPointerTypeInContext(e->llvm, 0), NULL, 0);
}

/* if (*FROM) *TO = *FROM */
static void tell_errno(struct tsr_emit *e, LLVMValueRef from, LLVMValueRef to)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef value = LLVMBuildLoad2(e->b, i32, from, "");
  LLVMBasicBlockRef set = tsr_emit_block(e, "tsr.errno"), behind = tsr_emit_block(e, "tsr.enderrno");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, value, LLVMConstInt(i32, 0, false), ""), set, behind);
  LLVMPositionBuilderAtEnd(e->b, set);
  LLVMValueRef store = LLVMBuildStore(e->b, value, to);
  LLVMSetOrdering(store, LLVMAtomicOrderingMonotonic); /* several threads may */
  LLVMBuildBr(e->b, behind);
  LLVMPositionBuilderAtEnd(e->b, behind);
}

/* What each thread does of LOOP, and of errno. */
static void emit_share(struct tsr_emit *e, const struct tsr_for *loop)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef place = e->errno_slot ? errno_place(e) : NULL;
  LLVMValueRef was = place ? LLVMBuildLoad2(e->b, i32, place, "") : NULL;
  if (place)
    LLVMBuildStore(e->b, LLVMConstInt(i32, 0, false), place);
  if (loop->doacross)
    tsr_emit_doacross_rows(e, loop);
  else if (loop->even)
    emit_static(e, loop);
  else
    emit_dynamic(e, loop);
  if (!place)
    return;
  tell_errno(e, place, e->errno_slot);
  LLVMBuildStore(e->b, was, place);
}

/* LOOP by SIZE threads; 0: as many as there are. */
static void emit_team(struct tsr_emit *e, const struct tsr_for *loop, LLVMValueRef size)
{
  LLVMBasicBlockRef entry = tsr_emit_block(e, "tsr.team");
  if (e->errno_slot)
    LLVMBuildStore(e->b, LLVMConstInt(LLVMInt32TypeInContext(e->llvm), 0, false), e->errno_slot);
  LLVMBuildBr(e->b, entry);
  int first = e->fresh.n - 1;
  LLVMPositionBuilderAtEnd(e->b, entry);
  LLVMValueRef *saved = private_slots(e);
  LLVMValueRef *pointers = tsr_array_buffers_save(e);
  tsr_emit_buffers_of_thread(e, loop->body);
  e->in_parallel = true;
  emit_share(e, loop);
  e->in_parallel = false;
  for (int i = 0; i < e->m->n_array; i++)
    e->m->arrays[i].slot = saved[i];
  free(saved);
  tsr_array_buffers_restore(e, pointers);
  LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.joined");
  LLVMBuildBr(e->b, behind);
  LLVMPositionBuilderAtEnd(e->b, behind);
  struct tsr_outline job = {.n = e->fresh.n - 1 - first, .kind = TSR_OUTLINE_TEAM, .size = size};
  job.block = malloc(job.n * sizeof(*job.block));
  memcpy(job.block, e->fresh.block + first, job.n * sizeof(*job.block));
  e->m->outline = realloc(e->m->outline, (e->m->n_outline + 1) * sizeof(*e->m->outline));
  e->m->outline[e->m->n_outline++] = job;
  if (e->errno_slot)
    tell_errno(e, e->errno_slot, errno_place(e));
}

void tsr_emit_parallel(struct tsr_emit *e, const struct tsr_for *outer)
{
  struct tsr_for loop = *outer;
  /* opaque, so that at least one value is captured */
  loop.first = LLVMBuildFreeze(e->b, loop.first, "tsr.first");
  LLVMValueRef enough = tsr_emit_is_enough(e, &loop);
  if (loop.doacross) {
    emit_team(e, &loop, tsr_emit_doacross_begin(e, tsr_emit_trip_count(e, &loop), enough));
    return;
  }
  if (e->variant->condition.threads) { /* what is too little comes now and then: as a team of one */
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
    emit_team(e, &loop, LLVMBuildZExt(e->b, LLVMBuildNot(e->b, enough, ""), i32, "tsr.size"));
    return;
  }
  LLVMBasicBlockRef many = tsr_emit_block(e, "tsr.parallel"), one = tsr_emit_block(e, "tsr.sequential");
  LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.endparallel");
  LLVMBuildCondBr(e->b, LLVMBuildAnd(e->b, enough, LLVMBuildNot(e->b, tsr_emit_is_inside_team(e), ""), ""), many, one);
  LLVMPositionBuilderAtEnd(e->b, many);
  emit_team(e, &loop, LLVMConstInt(LLVMInt32TypeInContext(e->llvm), 0, false));
  LLVMBuildBr(e->b, behind);
  LLVMPositionBuilderAtEnd(e->b, one);
  e->in_parallel = true;
  tsr_emit_loop(e, &loop);
  e->in_parallel = false;
  LLVMBuildBr(e->b, behind);
  LLVMPositionBuilderAtEnd(e->b, behind);
}

void tsr_emit_team(struct tsr_model *m, const struct tsr_outline *job, LLVMValueRef call)
{
  LLVMContextRef llvm = LLVMGetModuleContext(m->module);
  struct tsr_emit e = {.m = m, .llvm = llvm, .b = LLVMCreateBuilderInContext(llvm)};
  LLVMTypeRef i32 = LLVMInt32TypeInContext(llvm);
  LLVMPositionBuilderBefore(e.b, call);
  if (tsr_inst_location(call))
    LLVMSetCurrentDebugLocation2(e.b, tsr_inst_location(call));
  LLVMValueRef zero = LLVMConstInt(i32, 0, false);
  LLVMValueRef args[4] = {LLVMGetCalledValue(call), LLVMGetOperand(call, 0), job->size, zero};
  tsr_emit_call(&e, "GOMP_parallel", LLVMVoidTypeInContext(llvm), args, 4);
  LLVMInstructionEraseFromParent(call);
  LLVMDisposeBuilder(e.b);
}
