/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Trees written anew, from the root down, for rows that join or drop subtrees, which isl's functions on nodes don't.
 *
 *   FROM: B - sequence - F_0 - X_0        TO: leaf   ->   B - sequence - F_0 - X_0
 *                      - F_1 - X_1                                     - F_1 - X_1
 *
 * On the way the hook may put something else in the place of a node. */
#include "tree/rows/rows.h"
#include <isl/id.h>

/* The band at FROM, put in at TO, which then stands below it. */
static __isl_give isl_schedule_node *copy_band(__isl_keep isl_schedule_node *from, __isl_take isl_schedule_node *to)
{
  isl_size n = isl_schedule_node_band_n_member(from);
  to = isl_schedule_node_insert_partial_schedule(to, isl_schedule_node_band_get_partial_schedule(from));
  to = isl_schedule_node_band_set_permutable(to, isl_schedule_node_band_get_permutable(from) == isl_bool_true);
  for (int i = 0; i < n; i++) {
    to = isl_schedule_node_band_member_set_coincident(
        to, i, isl_schedule_node_band_member_get_coincident(from, i) == isl_bool_true);
    to = isl_schedule_node_band_member_set_ast_loop_type(to, i, isl_schedule_node_band_member_get_ast_loop_type(from, i));
  }
  return isl_schedule_node_child(to, 0);
}

/* TO, below a copy of what is at FROM, a node with one child but for filters of sequences. *DEPTH: by how much deeper? */
static __isl_give isl_schedule_node *copy_node(__isl_keep isl_schedule_node *from, __isl_take isl_schedule_node *to)
{
  switch (isl_schedule_node_get_type(from)) {
  case isl_schedule_node_band:
    return copy_band(from, to);
  case isl_schedule_node_mark:
    return isl_schedule_node_child(isl_schedule_node_insert_mark(to, isl_schedule_node_mark_get_id(from)), 0);
  case isl_schedule_node_filter:
    return isl_schedule_node_child(isl_schedule_node_insert_filter(to, isl_schedule_node_filter_get_filter(from)), 0);
  case isl_schedule_node_context:
    return isl_schedule_node_child(isl_schedule_node_insert_context(to, isl_schedule_node_context_get_context(from)), 0);
  case isl_schedule_node_guard:
    return isl_schedule_node_child(isl_schedule_node_insert_guard(to, isl_schedule_node_guard_get_guard(from)), 0);
  default: /* an extension */
    return isl_schedule_node_free(to);
  }
}

/* Is there an extension above NODE? Then isl doesn't tell what runs there. */
static bool is_below_extension(__isl_keep isl_schedule_node *node)
{
  isl_schedule_node *at = isl_schedule_node_copy(node);
  bool found = false;
  while (!found && isl_schedule_node_has_parent(at) == isl_bool_true) {
    at = isl_schedule_node_parent(at);
    found = isl_schedule_node_get_type(at) == isl_schedule_node_extension;
  }
  isl_schedule_node_free(at);
  return found;
}

/* Which children of the sequence or set FROM have instances at TO? Their filters, and in CHILD their numbers. */
static __isl_give isl_union_set_list *used_filters(__isl_keep isl_schedule_node *from, __isl_keep isl_schedule_node *to,
                                                   int *child)
{
  isl_size n = isl_schedule_node_n_children(from);
  bool all = is_below_extension(to);
  isl_union_set *here = all ? NULL : isl_schedule_node_get_domain(to);
  isl_union_set_list *filters = isl_union_set_list_alloc(isl_schedule_node_get_ctx(from), n);
  for (int i = 0, used = 0; i < n; i++) {
    isl_schedule_node *filter = isl_schedule_node_get_child(from, i);
    isl_union_set *set = isl_schedule_node_filter_get_filter(filter);
    if (all || isl_union_set_is_disjoint(set, here) == isl_bool_false) {
      filters = isl_union_set_list_add(filters, isl_union_set_copy(set));
      child[used++] = i;
    }
    isl_union_set_free(set);
    isl_schedule_node_free(filter);
  }
  isl_union_set_free(here);
  return filters;
}

/* TO with copies of the children of the sequence or set FROM that have instances there; without them if there is one. */
static __isl_give isl_schedule_node *copy_children(__isl_keep isl_schedule_node *from, __isl_take isl_schedule_node *to,
                                                   tsr_copy_fn fn, void *user)
{
  isl_size n = isl_schedule_node_n_children(from);
  int *child = calloc((size_t)n + 1, sizeof(*child));
  isl_union_set_list *filters = child ? used_filters(from, to, child) : NULL;
  isl_size used = isl_union_set_list_n_union_set(filters);
  bool sequence = isl_schedule_node_get_type(from) == isl_schedule_node_sequence;
  if (used > 1)
    to = sequence ? isl_schedule_node_insert_sequence(to, filters) : isl_schedule_node_insert_set(to, filters);
  else
    isl_union_set_list_free(filters);
  for (int i = 0; i < used && to; i++) {
    isl_schedule_node *source = isl_schedule_node_grandchild(isl_schedule_node_copy(from), child[i], 0);
    to = used > 1 ? isl_schedule_node_grandchild(to, i, 0) : to;
    to = tsr_node_copy_subtree(source, to, fn, user);
    to = used > 1 ? isl_schedule_node_parent(isl_schedule_node_parent(to)) : to;
    isl_schedule_node_free(source);
  }
  free(child);
  return used < 0 ? isl_schedule_node_free(to) : to;
}

isl_schedule_node *tsr_node_copy_subtree(isl_schedule_node *from, isl_schedule_node *to, tsr_copy_fn fn, void *user)
{
  if (fn && to && fn(from, &to, user))
    return to;
  enum isl_schedule_node_type type = isl_schedule_node_get_type(from);
  if (type == isl_schedule_node_leaf || !to)
    return to;
  if (type == isl_schedule_node_sequence || type == isl_schedule_node_set)
    return copy_children(from, to, fn, user);
  isl_schedule_node *below = isl_schedule_node_get_child(from, 0);
  to = isl_schedule_node_parent(tsr_node_copy_subtree(below, copy_node(from, to), fn, user));
  isl_schedule_node_free(below);
  return to;
}

isl_schedule *tsr_tree_copy(isl_schedule *tree, tsr_copy_fn fn, void *user)
{
  isl_schedule *empty = isl_schedule_from_domain(isl_schedule_get_domain(tree));
  isl_schedule_node *to = isl_schedule_node_child(isl_schedule_get_root(empty), 0);
  isl_schedule_node *from = isl_schedule_node_child(isl_schedule_get_root(tree), 0);
  to = tsr_node_copy_subtree(from, to, fn, user);
  isl_schedule *copy = isl_schedule_node_get_schedule(to);
  isl_schedule_node_free(to);
  isl_schedule_node_free(from);
  isl_schedule_free(empty);
  return copy;
}
