/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The map of control/: nodes -> domains, statements and their order. The tree of nodes is in control_tree.h, what is on its
 * way to statements in reader.h. */
#ifndef TSR_CONTROL_H
#define TSR_CONTROL_H

#include "read/memory/memory.h"

/* ---- loop_domains.c ----------------------------------------------------------------------------------------------- */

/* DOMAIN and 0 <= counter of LOOP <= its trip count - 1; NULL if that isn't affine. Takes DOMAIN. */
__isl_give isl_set *tsr_loop_domain(struct tsr_model *m, tsr_loop loop, __isl_take isl_set *domain);
/* Is it clear without sets that there is none? */
bool tsr_loop_has_no_domain(struct tsr_analyses *a, tsr_loop loop);

/* ---- statements.c: with control_units.c, needed_values.c and memory/raw_accesses.c --------------------------------- */

/* Blocks -> statements, scalars, raw accesses */
bool tsr_model_statements(struct tsr_model *m);

/* ---- number_parts.c: parts of a number as statements of their own ---------------------------------------------------- */

/* Do STORE and OTHER, stores, write parts of one number? */
bool tsr_are_parts(struct tsr_model *m, LLVMValueRef store, LLVMValueRef other);
/* May LOAD read in an iteration what STORE, to a part of a number, writes in it? Where that isn't known it is taken to be
 * another element, unless M has all parts together. */
bool tsr_parts_may_meet(struct tsr_model *m, LLVMValueRef load, LLVMValueRef store);
/* Behind tsr_model_make_scop: are those other elements? */
bool tsr_parts_hold(struct tsr_model *m);

/* ---- zero_skips.c -------------------------------------------------------------------------------------------------- */

/* Is there a loop in SEQ, but none with another inside? Nests of more are transformed whatever the condition says. */
bool tsr_has_innermost_loops(const struct tsr_seq *seq);
/* The only arm of NODE, an IF in a loop, if loops behind it may run in any case, where its condition, which can be tested in
 * front of the SCoP, often says that they do; else -1. */
int tsr_often_arm(struct tsr_model *m, const struct tsr_node *node);
/* The only arm of NODE, an IF in a loop, if it may be assumed to be taken all the time; else -1. */
int tsr_skip_arm(struct tsr_model *m, const struct tsr_node *node);
/* The phis that its condition is computed from, all of one block. */
#define TSR_MAX_SKIP_PHIS 2 /* of a complex number */
struct tsr_skip_phis {
  LLVMValueRef phi[TSR_MAX_SKIP_PHIS];
  int n;
};
struct tsr_skip_phis tsr_find_skip_phis(struct tsr_model *m, const struct tsr_node *node);
/* It is, at points with DOMAIN (kept) inside the N LOOPS; SAME: what those phis, N_SAME, are there. OFTEN: it often is. */
void tsr_skip_add(struct tsr_model *m, const struct tsr_node *node, int arm, bool often, __isl_keep isl_set *domain,
                  const tsr_loop *loops, int n, const struct tsr_same *same, int n_same);
/* Of a finished model: can all that was assumed be tested in front of the SCoP? */
bool tsr_skips_hold(struct tsr_model *m);
void tsr_skips_clear(struct tsr_model *m);

/* ---- original_order.c --------------------------------------------------------------------------------------------- */

/* The order of the nodes as a schedule tree. */
__isl_give isl_schedule *tsr_model_original_order(struct tsr_model *m);

#endif
