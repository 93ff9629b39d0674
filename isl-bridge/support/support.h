/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floor 1, support: the budget of isl's operations, and what works around isl. arena.c, small_integers.c, sample.c and
 * guards.c export nothing: the linker puts them in front of functions of isl (see CMakeLists.txt). message.h and tuples.h
 * stand beside this header. */
#ifndef TSR_SUPPORT_H
#define TSR_SUPPORT_H

#include "tessera.h"

/* ---- budget.c: isl's operations, work on large numbers included; see tessera.h, too -------------------- */

/* Which share of the operations has been used; 0 without a limit, 1 after an error. */
double tsr_budget_share(isl_ctx *ctx);
/* SHARE of the budget more: there is a result that only has to be finished. */
void tsr_budget_extend(isl_ctx *ctx, double share);
/* What was left before a trial. */
struct tsr_trial {
  unsigned long operations, tried;
  double work;
};
/* From here on, isl may use at most SHARE of what is left: for something that one can do without. */
struct tsr_trial tsr_budget_begin_trial(isl_ctx *ctx, double share);
/* The same, but for LEAST operations, even if less is left: for what is dear to do without. They are on top of the budget.
 */
struct tsr_trial tsr_budget_begin_reserve(isl_ctx *ctx, double share, unsigned long least);
/* The trial is over: what it left is there again. If it ran out of operations isl's error is reset, and false returned. */
bool tsr_budget_end_trial(isl_ctx *ctx, struct tsr_trial trial);

/* The greatest common divisor of A and B, 0 of two zeros. */
static inline long tsr_common_divisor(long a, long b)
{
  while (b) {
    long rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

/* ---- small_integers.c ---------------------------------------------------------------------------------- */

/* Divide the LENGTH numbers of ROW by their greatest common divisor, as isl_seq_normalize does. */
void tsr_row_normalize(isl_ctx *ctx, void *row, unsigned length);

/* ---- tree_nodes.c: what isl's functions on schedule nodes lack ----------------------------------------- */

/* Member I of a band's PARTIAL schedule as a schedule of one dimension. */
__isl_give isl_multi_union_pw_aff *tsr_member_schedule(__isl_keep isl_multi_union_pw_aff *partial, int i);
/* floor(MEMBER / SIZE) */
__isl_give isl_union_pw_aff *tsr_block_of(__isl_take isl_union_pw_aff *member, int size);
/* Call FN on every leaf below NODE. Stops at the first error. */
isl_stat tsr_node_foreach_leaf(__isl_keep isl_schedule_node *node,
                               isl_stat (*fn)(__isl_keep isl_schedule_node *leaf, void *user), void *user);
/* Is there a band strictly below NODE? */
isl_bool tsr_node_has_band_below(__isl_keep isl_schedule_node *node);
/* Move member FROM of the band at NODE to position TO; flags move with their members. */
__isl_give isl_schedule_node *tsr_band_move_member(__isl_take isl_schedule_node *node, int from, int to);
/* Move member POS of the band at NODE (one that tsr_band_find_innermost returned) below everything. The result stands at
 * NODE's place. */
__isl_give isl_schedule_node *tsr_band_sink_member(__isl_take isl_schedule_node *node, int pos);

#endif
