/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floor 4, deps: dependences, flow, the order of instances in a tree, and scalars. */
#ifndef TSR_DEPS_H
#define TSR_DEPS_H

#include "model/model.h"

/* ---- leaf_positions.c: where the statements of a SCoP sit in its schedule ------------------------------ */

/* Where the statements of a SCoP sit in its schedule (leaf_positions.c). */
struct tsr_positions;
/* The caller frees it, before SCOP. NULL: isl failed, or out of memory. */
struct tsr_positions *tsr_positions_find(struct tsr_scop *scop);
struct tsr_positions *tsr_positions_free(struct tsr_positions *positions);
/* The number of STMT's leaf, from 1, in the order in which leaves run in one iteration of the loops that they share; 0: it
 * is in none, or in several, or the tree isn't plain. */
int tsr_positions_leaf(const struct tsr_positions *positions, int stmt);
/* Do the loops around STMT, from the outside, run through its iterators, from the first? */
bool tsr_positions_are_in_order(const struct tsr_positions *positions, int stmt);
/* How many loops around A, from the outside, are around B, too? -1: one isn't by an iterator of each. */
int tsr_positions_shared(const struct tsr_positions *positions, int a, int b);
/* Do A and B, of leaves, run in the same loops, by the same iterators? */
bool tsr_positions_in_same_loops(const struct tsr_positions *positions, int a, int b);
/* { S -> T : S runs before T } in SPACE, whose first dimensions are the iterators of S, and of T; without their domains.
 * NULL: not to be said by comparing iterators. */
__isl_give isl_map *tsr_positions_before(const struct tsr_positions *positions, int s, int t, __isl_take isl_space *space);

/* ---- flow.c -------------------------------------------------------------------------------------------- */

/* Relations { S -> A }, all but SINKS possibly NULL. */
struct tsr_flow {
  isl_union_map *sinks;
  isl_union_map *must, *may; /* sources */
  isl_union_map *kills;      /* no sources, but what lies before them is none any more */
  bool tagged;               /* { [S -> S_k[]] -> A } */
};
/* { W -> R : R, a sink, may get its value from W, in the original order }. Takes the relations. POSITIONS, of SCOP, may be
 * NULL.
 */
__isl_give isl_union_map *tsr_scop_flow(struct tsr_scop *scop, const struct tsr_positions *positions, struct tsr_flow flow);

/* ---- scalar_sources.c ---------------------------------------------------------------------------------- */

/* The write that gives a read its value: that of ACCESS of STMT in the same iteration. STMT -1: not known. */
struct tsr_source {
  int stmt, access;
};
/* Where reads of SCALAR arrays get their values from in the original schedule, as far as that is plain to see
 * (scalar_sources.c): one for each access of each statement, in their order. The caller frees it. NULL: out of memory. */
struct tsr_source *tsr_scop_sources(struct tsr_scop *scop, const struct tsr_positions *positions);

/* ---- pairs.c: pairs of instances by time --------------------------------------------------------------- */

/* Those of PAIRS { S -> T } whose S comes before (after, with) T by TIMES, in lexicographic order.
 * requires: TIMES has all instances of PAIRS, as those below its node. */
__isl_give isl_union_map *tsr_pairs_before(__isl_take isl_union_map *pairs, __isl_take isl_multi_union_pw_aff *times);
__isl_give isl_union_map *tsr_pairs_after(__isl_take isl_union_map *pairs, __isl_take isl_multi_union_pw_aff *times);
__isl_give isl_union_map *tsr_pairs_at_once(__isl_take isl_union_map *pairs, __isl_take isl_multi_union_pw_aff *times);
/* { S -> T } where the time FIRST of S comes before SECOND of T, for any S and T. */
__isl_give isl_map *tsr_pairs_by_time(__isl_keep isl_multi_aff *first, __isl_keep isl_multi_aff *second);

/* ---- dependences.c; struct tsr_deps is in tessera.h ---------------------------------------------------- */

__isl_give struct tsr_deps *tsr_deps_compute(__isl_keep struct tsr_scop *scop);
/* The same, but instances of one reduction on a MEMORY array may be reordered where that is all they share: what links them
 * is in `reduction` alone. So may those of several statements with the same exact one. Such instances must not run at once.
 */
__isl_give struct tsr_deps *tsr_deps_compute_relaxed(__isl_keep struct tsr_scop *scop);
/* Operations that these take at the least. */
double tsr_deps_least_operations(const struct tsr_scop *scop);
/* The same, but for those with exact alone. */
__isl_give struct tsr_deps *tsr_deps_compute_exact(__isl_keep struct tsr_scop *scop);
__isl_null struct tsr_deps *tsr_deps_free(__isl_take struct tsr_deps *deps);
void tsr_deps_print(__isl_keep struct tsr_deps *deps, FILE *out);

/* ---- tree_order.c: the order of instances in a tree ---------------------------------------------------- */

/* Those of PAIRS { S -> T } where S runs before T in the tree at ROOT; MAYBE: or in no order with it. */
__isl_give isl_union_map *tsr_tree_order_forward(__isl_keep isl_schedule_node *root, __isl_take isl_union_map *pairs,
                                                 bool maybe);
/* Some of those of PAIRS { S -> T } where S does not run before T in the tree at ROOT, if there are any. */
__isl_give isl_union_map *tsr_tree_order_backward(__isl_keep isl_schedule_node *root, __isl_take isl_union_map *pairs);

/* ---- open_dependences.c: what a band may violate ------------------------------------------------------- */

/* The pairs of DEPS that a band at NODE may violate: those whose ends the loops around leave in one iteration. */
__isl_give isl_union_map *tsr_node_open_dependences(__isl_keep isl_schedule_node *node, __isl_keep isl_union_map *deps);
/* The same of all that are in DEPS, but for those of reductions. */
__isl_give isl_union_map *tsr_node_open_deps(__isl_keep isl_schedule_node *node, __isl_keep struct tsr_deps *deps);
/* Does no pair of OPEN run against the order of MEMBER? */
isl_bool tsr_member_is_monotone(__isl_keep isl_union_map *open, __isl_keep isl_multi_union_pw_aff *member);
/* Are the ends of every pair of OPEN in one iteration of MEMBER? */
isl_bool tsr_member_is_coincident(__isl_keep isl_union_map *open, __isl_keep isl_multi_union_pw_aff *member);

/* ---- dot.c --------------------------------------------------------------------------------------------- */

/* dot.c: statements as nodes, dependences as edges labelled with their kind and distance. */
void tsr_print_dot(__isl_keep struct tsr_scop *scop, __isl_keep struct tsr_deps *deps, FILE *out);

#endif
