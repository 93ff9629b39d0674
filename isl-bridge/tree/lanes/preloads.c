/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops that are vector loops once an iteration reads all before it writes anything:
 *
 *   B(i) - X    ->    mark "preload" - B(i) - X
 *
 *   for i: { a[i] = b[i] * c[i]; d[i] = a[i] + a[i+1]; }    ->    for i: { t = a[i+1]; a[i] = b[i] * c[i]; d[i] = a[i] + t;
 * }
 *
 * An iteration overwrites what the one before has read: vectors may not load that behind their store. No statement reads
 * from memory what the same iteration has written (node splitting: Kuck et al., POPL 1981, does it with an array). */
#include "access/access.h"
#include "marks/marks.h"
#include "tree/tree.h"

static isl_schedule_node *mark_band(isl_schedule_node *node, void *user)
{
  struct tsr_scop *scop = user;
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band || tsr_node_has_band_below(node) != isl_bool_false ||
      isl_schedule_node_get_parent_type(node) == isl_schedule_node_mark)
    return node;
  isl_size n = isl_schedule_node_band_n_member(node);
  isl_schedule_node *last = isl_schedule_node_copy(node);
  if (n > 1)
    last = isl_schedule_node_child(isl_schedule_node_band_split(last, n - 1), 0);
  bool gains = tsr_band_is_forward(last, scop) == isl_bool_false && tsr_band_is_preloadable(last, scop) == isl_bool_true;
  if (!gains) {
    isl_schedule_node_free(last);
    return node;
  }
  isl_schedule_node_free(node);
  last = tsr_mark_insert_word(last, TSR_MARK_PRELOAD);
  return n > 1 ? isl_schedule_node_parent(last) : last;
}

isl_schedule *tsr_tree_mark_preloads(isl_schedule *schedule, struct tsr_scop *scop)
{
  return tsr_tree_mark_each(schedule, scop, mark_band);
}
