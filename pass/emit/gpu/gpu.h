/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The map of gpu/: a variant whose loops are kernels of a GPU. What its calls do is in runtime/tessera_rt.h.
 *
 *   new:     br it saves something, work, next
 *   work:    br tsr_rt_pays(kernels, what it saves), begin, next
 *   begin:   job = tsr_rt_begin(kernels); br job, gpu, next
 *   gpu:     by array: device = tsr_rt_array(..); tsr_rt_copy_in(..)        transfer_code.c
 *            the AST: host loops, tsr_rt_launch for each kernel              kernel_code.c
 *            by row: tsr_rt_copy_out(..); br tsr_rt_end(job), end, next
 *   next:    the CPU's variants, or the original */
#ifndef TSR_GPU_H
#define TSR_GPU_H

#include "emit/emitter.h"

/* The loops of a kernel, by its dimensions. */
struct tsr_kernel_loops {
  int n[TSR_MAX_MAPPED];        /* loops in its AST */
  long step[TSR_MAX_MAPPED];    /* of all of them; below 0: they have several */
  bool dropped[TSR_MAX_MAPPED]; /* .. or there is none around some instance, as it runs once */
  bool unknown[TSR_MAX_MAPPED]; /* .. and nobody knows which iteration that is */
};

/* The variant for a GPU that is being written. */
struct tsr_gpu_code {
  LLVMValueRef job;
  LLVMValueRef flag;             /* i64: as tsr_rt_flag gives it; NULL: nothing in the SCoP may end the job */
  LLVMValueRef *delta;           /* by array: the bytes from an element in the host's memory to the GPU's, i64 */
  const struct tsr_mark *kernel; /* the one around, NULL on the host */
  LLVMValueRef id[TSR_MAX_MAPPED], total[TSR_MAX_MAPPED]; /* by its loops: which thread is this, of how many? i64 */
  struct tsr_kernel_loops loops;                          /* of the kernel */
  LLVMBasicBlockRef entry;                                /* of the kernel */
  const struct tsr_mark *phase;                           /* of a kernel of blocks, the one around */
  isl_ast_node *phase_body;                               /* .. and what is below it */
  unsigned phase_mapped;                                  /* those of its loops that are around */
  bool free;                                              /* .. and loops written out freely may be so */
  const struct tsr_mark *unroll;                          /* around, in a phase */
  struct tsr_early_loads *early;        /* of the loop around whose loads are an iteration ahead; NULL: none */
  int part, n_part;                     /* of the kernel: the body of its innermost loop around; parts so far */
  int *life;                            /* by array of the program: the part in which its life began last */
  LLVMValueRef *shared;                 /* by array of the program: what the kernel's blocks share */
  bool *read, *written;                 /* by array of the program: since the last barrier */
  unsigned mapped;                      /* those of its loops that are around, */
  const char *iterator[TSR_MAX_MAPPED]; /* and their iterators; NULL: isl has dropped it */
  const struct tsr_transfer *rows;      /* of the array that is being copied back, NULL: none is */
  int array;                            /* its number */
};

/* ---- device_code.c -------------------------------------------------------------------------------------------------- */

/* May the SCoP's instructions run on a GPU, with the same results? Else *WHY, static text. */
bool tsr_gpu_can_run(struct tsr_model *m, const char **why);

/* Is CALL one of the library's square root? */
bool tsr_gpu_is_sqrt(LLVMValueRef call);
/* In a kernel: CALL, which is that, of OPERAND; where it would set errno the job comes to nothing */
LLVMValueRef tsr_emit_device_sqrt(struct tsr_emit *e, LLVMValueRef call, LLVMValueRef operand);

/* ---- transfer_code.c ------------------------------------------------------------------------------------------------ */

/* Write VARIANT, of a GPU: where it has run go to END, else to NEXT. */
void tsr_emit_gpu(struct tsr_emit *e, const struct tsr_variant *variant, LLVMBasicBlockRef next, LLVMBasicBlockRef end);
/* The user node ROW of the loops that copy an array back */
void tsr_emit_copied_row(struct tsr_emit *e, __isl_keep isl_ast_node *row);

/* ---- device_values.c ------------------------------------------------------------------------------------------------ */

/* The special register WHAT, "tid", of AXIS, 0 for x, in a kernel: i64 */
LLVMValueRef tsr_emit_special(struct tsr_emit *e, const char *what, int axis);

#define TSR_GLOBAL_MEMORY 1 /* address spaces of NVPTX */
#define TSR_SHARED_MEMORY 3
#define TSR_MOST_SHARED (48 << 10) /* bytes of a block, on any GPU */
/* POINTER, into array number ARRAY in the host's memory, as an address of the GPU's in its kernels */
LLVMValueRef tsr_emit_device_address(struct tsr_emit *e, int array, LLVMValueRef pointer);
/* POINTER, which INST, a load or a store of the SCoP, would have, as an address of the GPU's in its kernels */
LLVMValueRef tsr_emit_device_pointer(struct tsr_emit *e, LLVMValueRef inst, LLVMValueRef pointer);
/* In a kernel: is LOOP around others? Unrolled, it would take registers and bring nothing. */
bool tsr_emit_is_around_loops(struct tsr_emit *e, const struct tsr_for *loop);

/* ---- kernel_code.c -------------------------------------------------------------------------------------------------- */

/* What is below MARK, "kernel": BODY, for each thread; and its launch */
void tsr_emit_kernel(struct tsr_emit *e, const struct tsr_mark *mark, __isl_keep isl_ast_node *body);
/* In a kernel: NODE, a loop or an instance. Is it written, as its loop is one of threads, or one thread alone runs it? */
bool tsr_emit_in_kernel(struct tsr_emit *e, __isl_keep isl_ast_node *node);
/* In a kernel: the buffers of MARK, "allocate", live here, a thread's own */
void tsr_emit_thread_buffers(struct tsr_emit *e, const struct tsr_mark *mark);
/* call outlined(arguments)  ->  tsr_rt_launch(..): what JOB of M's outlines, a kernel, has become. */
void tsr_emit_launch(struct tsr_model *m, const struct tsr_outline *job, LLVMValueRef call);

/* ---- block_arrays.c ------------------------------------------------------------------------------------------------- */

/* Have the blocks of VARIANT's kernels room for what they share? Its sizes are constants then. */
bool tsr_gpu_has_room(const struct tsr_variant *variant);
/* In one: buffer number ARRAY of the program, SHARED or PRIVATE; its strides are set. */
LLVMValueRef tsr_emit_block_array(struct tsr_emit *e, int array);
/* BODY of a kernel begins: what blocks share is zeros, if loops that are written out freely have fewer iterations somewhere.
 */
void tsr_emit_first_zeros(struct tsr_emit *e, __isl_keep isl_ast_node *body);
/* Can all iterations run of loops that are written out freely, in BODY of PHASE? They stay within their arrays. */
bool tsr_emit_may_be_free(struct tsr_emit *e, const struct tsr_mark *phase, __isl_keep isl_ast_node *body);

/* ---- phases.c: kernels of blocks ---------------------------------------------------------------------------------- */

/* A kernel of blocks begins, or ends. */
void tsr_emit_begin_blocks(struct tsr_emit *e);
void tsr_emit_end_blocks(struct tsr_emit *e);
/* In one, around phases: in front of NODE, a loop or a branch; what counts again, at the other branch; and behind it. */
bool *tsr_emit_enter_part(struct tsr_emit *e, __isl_keep isl_ast_node *node);
void tsr_emit_again(struct tsr_emit *e, const bool *state);
void tsr_emit_leave_part(struct tsr_emit *e, bool *state);
/* Does BODY, of a loop, write no array in memory that PHASE[0..N), parts of it, read? */
bool tsr_emit_reads_unwritten(struct tsr_emit *e, __isl_keep isl_ast_node *body, isl_ast_node **phase, int n);
/* In one: the phase BODY is next: threads wait for each other, if it needs that. */
void tsr_emit_wait(struct tsr_emit *e, __isl_keep isl_ast_node *body);
/* In one: BODY, which is below MARK, "threads" */
void tsr_emit_phase(struct tsr_emit *e, const struct tsr_mark *mark, __isl_keep isl_ast_node *body);
/* Both; NULL: true */
LLVMValueRef tsr_emit_both(struct tsr_emit *e, LLVMValueRef a, LLVMValueRef b);
/* LOOP's bounds from NODE, a loop that may be degenerate */
void tsr_emit_find_bounds(struct tsr_emit *e, __isl_keep isl_ast_node *node, struct tsr_for *loop);
/* i1: is VALUE, from 0 on and below SIZE, an iteration of LOOP? NULL: it is. */
LLVMValueRef tsr_emit_is_iteration(struct tsr_emit *e, const struct tsr_for *loop, LLVMValueRef value, long size);
/* Run BODY with ITERATOR = VALUE, unless that is NULL, where COND holds; NULL: always. */
void tsr_emit_where(struct tsr_emit *e, LLVMValueRef cond, const char *iterator, LLVMValueRef value,
                    __isl_keep isl_ast_node *body);
/* In one: in front of what is below MARK, "unroll", and behind it */
void tsr_emit_enter_unrolled(struct tsr_emit *e, const struct tsr_mark *mark);
void tsr_emit_leave_unrolled(struct tsr_emit *e);
/* In one: NODE, a loop or an instance. Is it written, as its loop is of the phase's threads, or is written out? */
bool tsr_emit_in_phase(struct tsr_emit *e, __isl_keep isl_ast_node *node);

/* ---- early_loads.c -------------------------------------------------------------------------------------------------- */

/* In a phase: NODE, the outermost of loops that are written out. Is it written, as it moves from memory into a buffer? */
bool tsr_emit_loads(struct tsr_emit *e, __isl_keep isl_ast_node *node);
/* Between phases: the loop NODE. Is it written, as it has loads that can be an iteration ahead? */
bool tsr_emit_pipelined(struct tsr_emit *e, __isl_keep isl_ast_node *node);
/* A phase of BODY begins, behind its barrier: if loads of the next iteration are due, they are here. */
void tsr_emit_due_loads(struct tsr_emit *e, __isl_keep isl_ast_node *body);
/* Do phases load for another iteration, and do nothing else? */
bool tsr_emit_is_loading(const struct tsr_emit *e);

/* ---- kernel_loops.c ------------------------------------------------------------------------------------------------- */

/* The depth of LOOP, whose iterator is named by it */
int tsr_emit_loop_depth(__isl_keep isl_ast_node *loop);
/* The loops of KERNEL in BODY, in LOOPS. */
void tsr_emit_kernel_loops(const struct tsr_mark *kernel, __isl_keep isl_ast_node *body, struct tsr_kernel_loops *loops);
/* The number of the iteration that NODE is in, at DEPTH, where there is no loop: of the first instance's; NULL: unknown */
__isl_give isl_ast_expr *tsr_emit_dropped_number(__isl_keep isl_ast_node *node, int depth);
/* Does each thread of the kernels in AST know which iterations are its own? */
bool tsr_gpu_knows_threads(__isl_keep isl_ast_node *ast);

/* ---- gpu_work.c ----------------------------------------------------------------------------------------------------- */

/* Nanoseconds, in double, that VARIANT's work on a GPU saves, with all that goes there and back; below 0: it takes longer.
 */
LLVMValueRef tsr_emit_gpu_saves(struct tsr_emit *e, const struct tsr_variant *variant);
/* The iterations, i64, of the loops at depth DEPTH in BODY, in the middle of those around; the most of several; 1: none */
LLVMValueRef tsr_emit_trips_at(struct tsr_emit *e, __isl_keep isl_ast_node *body, int depth);

#endif
