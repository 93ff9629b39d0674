/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stages of a program: its nests, one behind the other. For overlapped_tiles.c and shifted_fusion.c. */
#ifndef TSR_OUTER_NESTS_H
#define TSR_OUTER_NESTS_H

#include "model/program.h"
#include "tree/tree.h"

/* A nest: the statements below an outermost band, with all their instances. */
struct tsr_nest {
  isl_schedule_node *band;
  int n_loop;          /* of the band */
  isl_set *iterations; /* { [b] } of the band */
  bool *has;           /* by statement */
  bool original;       /* are they all the original's, with all their instances? */
  /* By statement and loop: the iterator that is the loop's value up to a constant, and nothing else of the nest depends on
   * it; -1 for all if not all loops have such ones. */
  int (*iterator)[TSR_MAX_DIM];
};

struct tsr_nests {
  struct tsr_nest *stage; /* in their order */
  int n;
};

/* Those of PROGRAM, without nests that share a statement with others; to be cleared in any case. */
isl_stat tsr_nests_find(struct tsr_nests *stages, __isl_keep struct tsr_program *program);
void tsr_nests_clear(struct tsr_nests *stages);

/* Does STAGE read ARRAY of SCOP; or write it, maybe? */
bool tsr_nest_touches(const struct tsr_nest *stage, __isl_keep const struct tsr_scop *scop, int array, bool reads);
/* { S[i] -> [b] } of statement NUMBER of SCOP, which STAGE has. */
__isl_give isl_map *tsr_nest_order(const struct tsr_nest *stage, __isl_keep struct tsr_scop *scop, int number);
/* Which accesses? */
enum tsr_nest_accesses { TSR_NEST_ANY, TSR_NEST_READS, TSR_NEST_WRITES };
/* { [b] -> A[e] } of such accesses of STAGE to ARRAY of SCOP; NULL: there are none, or isl failed. */
__isl_give isl_map *tsr_nest_accesses(const struct tsr_nest *stage, __isl_keep struct tsr_scop *scop, int array,
                                      enum tsr_nest_accesses which);
/* { NAME[i'] -> S[i] } of it, so that i' is b for the iterators of loops. */
__isl_give isl_multi_aff *tsr_nest_moves(const struct tsr_nest *stage, __isl_keep struct tsr_scop *scop, int number,
                                         const char *name);
/* How many values loop D of the stage has, of all its statements together, for typical parameters. */
double tsr_nest_trips(const struct tsr_nest *stage, __isl_keep struct tsr_scop *scop, int d);
/* TREE of the stage's statements alone. */
__isl_give isl_schedule *tsr_nest_schedule(const struct tsr_nest *stage, __isl_keep isl_schedule *tree);
/* May STAGE be computed again, as far as its accesses tell: no SCALAR arrays but values within an iteration, nothing that
 * only may be written, nothing read that somebody writes behind it? WRITTEN: which MEMORY arrays it writes, a flag an array.
 */
bool tsr_nest_is_repeatable(const struct tsr_nest *stage, __isl_keep struct tsr_scop *scop, bool *written);

/* PROGRAM, in which nests side by side, of the same iterations, whose results nobody in it reads, are one: see
 * sibling_nests.c. */
__isl_give struct tsr_program *tsr_nests_join_siblings(__isl_take struct tsr_program *program);

/* PROGRAM, in which nests one behind the other are one loop over blocks of ROWS rows, each so far behind
 * others as it must be: see shifted_fusion.c. NULL: it has none, *WHY (malloc'd) says so, or isl failed. */
__isl_give struct tsr_program *tsr_program_shift(__isl_take struct tsr_program *program, int rows, char **why);

#endif
