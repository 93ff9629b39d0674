/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops whose iterations change nothing as a rule: a maximum and its place, the last of what is over a threshold that moves.
 *
 *   B(i) - S(i), rare    ->    mark "rare" - B(i) - S(i)
 *
 *   for i: if (a[i] > max) { max = a[i]; at = i; }
 *
 * Each iteration waits for the one before, in a register. But as long as none changes anything, all of them ask about the
 * same values: whether any does is found out for a block of iterations at once, by vectors, and only where one does the
 * block runs as it is (emit/rare_blocks.c). No order changes, and no result, down to the sign of a zero and to NaNs. */
#include "tree/tree.h"
#include "access/access.h"
#include "marks/marks.h"

/* Is what runs below BAND one statement, a rare one? */
static bool is_rare(__isl_keep isl_schedule_node *band, struct tsr_scop *scop)
{
  isl_union_set *domain = isl_schedule_node_get_domain(band);
  isl_set *own = isl_union_set_n_set(domain) == 1 ? isl_set_from_union_set(isl_union_set_copy(domain)) : NULL;
  int stmt = own ? tsr_scop_find_stmt(scop, isl_set_get_tuple_name(own)) : -1;
  isl_set_free(own);
  isl_union_set_free(domain);
  return stmt >= 0 && scop->stmts[stmt].rare;
}

static isl_schedule_node *mark_band(isl_schedule_node *node, void *user)
{
  struct tsr_scop *scop = user;
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band || tsr_node_has_band_below(node) != isl_bool_false)
    return node;
  isl_schedule_node *below = isl_schedule_node_get_child(node, 0);
  bool rare = isl_schedule_node_get_type(below) == isl_schedule_node_leaf && is_rare(node, scop);
  isl_schedule_node_free(below);
  if (!rare || isl_schedule_node_get_parent_type(node) == isl_schedule_node_mark)
    return node;
  isl_size n = isl_schedule_node_band_n_member(node);
  if (n > 1)
    node = isl_schedule_node_child(isl_schedule_node_band_split(node, n - 1), 0);
  node = tsr_mark_insert_word(node, TSR_MARK_RARE);
  return n > 1 ? isl_schedule_node_parent(node) : node;
}

isl_schedule *tsr_tree_mark_rare(isl_schedule *schedule, struct tsr_scop *scop)
{
  return tsr_tree_mark_each(schedule, scop, mark_band);
}
