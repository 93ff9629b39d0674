/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What ilp.c and presolve.c share. */
#ifndef TESSERA_SCHED_ILP_H
#define TESSERA_SCHED_ILP_H

#include "sched/scheduler.h"

/* Rows of one kind, each a constant and the columns' coefficients. A hash table of row numbers + 1 keeps them apart. */
struct tsr_ilp_rows {
  long *data;
  int n, capacity;
  int *table;
  unsigned table_size; /* a power of two */
};

struct tsr_ilp {
  isl_ctx *ctx;
  int n_col, width;
  struct tsr_ilp_rows rows[2]; /* inequalities, equalities */
  long *row;                   /* the one being filled in */
  bool infeasible;
};

/* Add ROW, which is divided by what its entries have in common, unless it is there or holds for all x >= 0. *INFEASIBLE is
 * set if it holds for none. */
isl_stat tsr_ilp_rows_add(struct tsr_ilp_rows *rows, long *row, int width, bool equality, bool *infeasible);
void tsr_ilp_rows_free(struct tsr_ilp_rows *rows);

/* A problem without the columns that others determine, and how to find those again. */
struct tsr_reduced {
  int n_col, n_objective;
  struct tsr_ilp_rows rows[2];
  struct tsr_region *region; /* n_region, its data owned */
  int n_region;
  bool infeasible;
  int *kept;  /* by column of REDUCED: the original one */
  int *gone;  /* columns that were eliminated, in this order */
  long *form; /* by eliminated one: its value as a form of the others, width entries */
  int n_gone, width;
};
/* The lexicographically smallest solution stays that. */
isl_stat tsr_ilp_reduce(const struct tsr_ilp *ilp, int n_objective, const struct tsr_region *region, int n_region,
                        struct tsr_reduced *reduced);
/* X, a solution of REDUCED, becomes one of the original problem, of N_COL columns. */
void tsr_reduced_expand(const struct tsr_reduced *reduced, int n_col, long *x);
void tsr_reduced_clear(struct tsr_reduced *reduced);

#endif
