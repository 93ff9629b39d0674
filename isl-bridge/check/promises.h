/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What marks promise, proved from accesses and schedules alone; for the checker's own files. Functions that return text say
 * what is wrong, in static words; NULL: nothing. They refuse where isl fails. */
#ifndef TSR_PROMISES_H
#define TSR_PROMISES_H

#include "check/check.h"

/* ---- check_loops.c: iterations that may run at once --------------------------------------------------------- */

/* The iterations of a band's loops. */
struct tsr_iterations {
  struct tsr_scop *scop;             /* the program's, not owned */
  struct tsr_scop *original;         /* whose order tells which write a read of a SCALAR array gets; not owned */
  isl_schedule_node *band;           /* owned, as what follows */
  isl_union_set *domain;             /* { S } below the band, for known parameters */
  isl_union_map *around;             /* { S -> [P] }: of all loops around it */
  isl_multi_union_pw_aff *iteration; /* { S -> [P, t] }: and of its own */
  isl_union_map *time;               /* the same, for S in domain */
  int n_around, n;                   /* dimensions of P, of t */
};
/* The first N members of the band at NODE. on failure: isl_stat_error; clear it in any case. */
isl_stat tsr_iterations_init(struct tsr_iterations *it, __isl_keep struct tsr_program *program,
                             __isl_keep isl_schedule_node *node, int n);
/* Of two bands of one member, COLUMNS in an iteration of ROWS, as if they were one: those that COLUMNS runs. */
isl_stat tsr_iterations_init_rows(struct tsr_iterations *it, __isl_keep struct tsr_program *program,
                                  __isl_keep isl_schedule_node *rows, __isl_keep isl_schedule_node *columns);
void tsr_iterations_clear(struct tsr_iterations *it);
/* { S -> A[e] } of accesses of KINDS to ARRAY below the band. */
__isl_give isl_union_map *tsr_iterations_accesses(struct tsr_iterations *it, int array, unsigned kinds);

/* Do two iterations of the same P, of the same ARRAY, share an element that one of them writes? DOACROSS: two that don't
 * wait for each other, of t = (p, q) and (p', q') with p < p' and q > q'. */
isl_bool tsr_iterations_share(struct tsr_iterations *it, int array, bool doacross);
/* Does each iteration keep the values of SCALAR ARRAY, if it writes it, to itself: what it reads it has written before, and
 * nobody else reads what it writes? */
isl_bool tsr_iterations_keep_scalar(struct tsr_iterations *it, int array);
/* Do all iterations t of P = 0 .. N - 1 run the same: each statement, at each of the times below? */
isl_bool tsr_iterations_are_alike(struct tsr_iterations *it, int n);

/* ---- check_registers.c, check_edges.c ------------------------------------------------------------------- */

const char *tsr_check_registers(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule_node *node,
                                const struct tsr_register_tile *tile);
const char *tsr_check_edge(__isl_keep struct tsr_scop *scop, const struct tsr_edge_stmt *edge);

/* ---- check_blocks.c ----------------------------------------------------------------------------------------- */

/* Is each leaf below KERNEL, a mark with sizes, in a phase of its threads? */
isl_bool tsr_check_phases(__isl_keep isl_schedule_node *kernel);
/* NODE, a mark of threads: are they its block's, and does each leave alone what is another one's? */
const char *tsr_check_threads(__isl_keep struct tsr_program *program, __isl_keep isl_schedule_node *node);
/* NODE, a mark of loops to be written out: have they as many iterations as it says, at most? */
const char *tsr_check_unrolled(__isl_keep struct tsr_program *program, __isl_keep isl_schedule_node *node);
/* Does each SHARED or PRIVATE array live in the blocks of a kernel, in the tree of ROOT? */
const char *tsr_check_blocks(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule_node *root);

#endif
