/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels whose threads add up elements of their own: what gpu_tiles.c and gpu_blocks.c share. */
#ifndef TSR_GPU_SUMS_H
#define TSR_GPU_SUMS_H

#include "model/program.h"
#include "tree/tree.h"

/* A kernel of two loops, i and x, in which elements of an array are added up, from what each row i and each column x shares.
 */
struct tsr_gpu_sum {
  struct tsr_scop *scop;
  isl_multi_union_pw_aff *time; /* { S -> [o, i, x] }: the loops around, and the kernel's */
  int depth;                    /* of o */
  int array;                    /* whose elements are added up, all of one in one thread */
  bool next;                    /* do columns that follow each other read elements that do? */
  isl_set *points;              /* { [o, i, x] }, a convex set */
};

/* Is the kernel whose mark is NODE one of those, with enough elements? SUM is to be cleared in any case. */
bool tsr_gpu_find_sum(struct tsr_gpu_sum *sum, __isl_keep struct tsr_scop *scop, __isl_keep isl_schedule_node *node);
void tsr_gpu_clear_sum(struct tsr_gpu_sum *sum);

/* The N of ROW, which are taken, as one band at NODE; permutable, its members coincident. */
__isl_give isl_schedule_node *tsr_gpu_insert_band(__isl_take isl_schedule_node *node, isl_union_pw_aff **row, int n);
/* { isolate[[..] -> [..]] } for TIMES { [o, ..] }, of a band of N members at DEPTH: of the first of these, or of some
 * behind. */
__isl_give isl_union_set *tsr_gpu_isolation(__isl_keep isl_set *times, int depth, int n);

/* ---- gpu_buffers.c ---- */

/* Threads of a block along y, and along x; bytes that one loads at once, at most; bytes that a block shares, on any GPU. */
enum { TSR_GPU_SIDE = 16, TSR_GPU_VECTOR = 16, TSR_GPU_SHARED = 48 << 10 };

/* The sizes of a kernel's tiles. */
struct tsr_gpu_block {
  int rows, columns, steps; /* of a thread; of a sum at a time */
  int vector;               /* columns of a thread that follow each other */
  int depth;                /* of the loops around the kernel */
  int array;                /* whose elements are added up */
  long shared;              /* bytes of a block, so far */
  isl_set *points;          /* { [o, i, x] } */
};

/* A phase of a block's threads */
extern const struct tsr_mark tsr_gpu_phase;

/* X at NODE  ->  mark "unroll N of .." - B(INSIDE) - X, taking the N rows, with values below SIZE; those of size 1 are left
 * out, but for one. */
__isl_give isl_schedule_node *tsr_gpu_insert_written_out(__isl_take isl_schedule_node *node, struct tsr_scop *scop,
                                                         isl_union_pw_aff **inside, const int *size, int n);
/* PROGRAM with a buffer for ARRAY in SPACE, SHARED or PRIVATE, at NODE, or as it is, where there can't be one; *DONE says
 * which. ONLY: for access number ONLY_ACCESS of statement number ONLY alone; below 0: for all. NULL: isl failed. */
__isl_give struct tsr_program *tsr_gpu_cache(__isl_take struct tsr_program *program, __isl_keep isl_schedule_node *node,
                                             int array, int only, int only_access, enum tsr_space space,
                                             const struct tsr_gpu_block *block, bool *done);

/* ---- gpu_blocks.c ---- */

/* PROGRAM, whose kernels of two loops are of blocks of threads that share what they read, STEPS of a sum at a time, with
 * ROWS and COLUMNS elements in each thread. 0 of one: as it pays. NULL: no kernel adds up elements of its own, *WHY
 * (malloc'd) says so; or isl failed. */
__isl_give struct tsr_program *tsr_program_blocks(__isl_take struct tsr_program *program, int rows, int columns, int steps,
                                                  char **why);

#endif
