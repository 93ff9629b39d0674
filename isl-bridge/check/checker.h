/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A check under way; for the checker's own files. */
#ifndef TSR_CHECKER_H
#define TSR_CHECKER_H

#include "check/check_buffers.h"

struct tsr_checker {
  struct tsr_program *program;
  struct tsr_scop *scop;       /* the original */
  struct tsr_scop *now;        /* what the tree runs */
  struct tsr_events *events;   /* where it makes the accesses of the original; NULL: as the original does */
  isl_set *known;              /* context and assumed, as far as they tell something */
  isl_schedule_node *root;     /* of the tree to check, without extensions */
  enum tsr_relaxation relaxed; /* which updates of reductions may change places? */
  char *why;                   /* set once, by the first failure */
};

/* ---- check_words.c: what is wrong --------------------------------------------------------------------------- */

/* Record the sentence and return "not legal". */
__attribute__((format(printf, 2, 3))) isl_bool tsr_checker_fail(struct tsr_checker *checker, const char *format, ...);
/* "array A: S[0] of line 3 WHAT T[1] (n = 2)", with a pair of VIOLATED { S -> T }; ARRAY -1: of none that is known. */
isl_bool tsr_checker_fail_pair(struct tsr_checker *checker, __isl_take isl_union_map *violated, int array, const char *what);

/* ---- check_order.c: the order of accesses to one element ------------------------------------------------------ */

/* { S -> T } of FROM and TO: S runs before T in the original order of SCOP. */
__isl_give isl_union_map *tsr_ordered_pairs(__isl_keep struct tsr_scop *scop, __isl_keep isl_union_set *from,
                                            __isl_keep isl_union_set *to);
/* PAIRS without those of an instance with itself. */
__isl_give isl_union_map *tsr_without_identity(__isl_take isl_union_map *pairs);
/* { S -> A[k] } for known parameters: those of kind KINDS on array ARRAY, or on all MEMORY arrays if it is -1. */
__isl_give isl_union_map *tsr_checker_accesses(struct tsr_checker *checker, unsigned kinds, int array);
/* { S -> T : S runs before T originally, both touch one element of ARRAY (-1: of any MEMORY array), one writes }, without
 * pairs that may change places. */
__isl_give isl_union_map *tsr_checker_conflicts(struct tsr_checker *checker, int array);
/* Are all conflicts on MEMORY arrays in the same order as before? */
isl_bool tsr_check_memory(struct tsr_checker *checker);

/* ---- check_scalars.c: values of SCALAR arrays ------------------------------------------------------------------- */

/* { R } instances of SCOP that read ARRAY before they write it, if they write it; for known parameters. */
__isl_give isl_union_set *tsr_exposed_reads(__isl_keep struct tsr_scop *scop, int array);
/* { W -> R : W is the last of WRITES before R in the original order of SCOP } */
__isl_give isl_union_map *tsr_last_writes(__isl_keep struct tsr_scop *scop, __isl_keep isl_union_set *writes,
                                          __isl_keep isl_union_set *reads);
/* Is the SCALAR array ARRAY accessed in the same order, or do at least its values stay where they were? */
isl_bool tsr_check_scalar(struct tsr_checker *checker, int array);

#endif
