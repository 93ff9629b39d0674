/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In which order does a schedule tree run two instances? A relation { S -> T } is carried down the tree and split on the
 * way, so that no lexicographic relation over all dimensions is ever built:
 *
 *   sequence   F_0, F_1, ...   F_i -> F_j: forward if i < j, backward if i > j, open if i = j
 *   set        F_0, F_1, ...   F_i -> F_j: unordered if i != j, open if i = j
 *   band       t_0, t_1, ...   member by member: forward where t(S) < t(T), backward where t(S) > t(T), else open
 *   leaf                       what is still open is unordered */
#include "deps/deps.h"
#include <isl/space.h>

/* Where the pairs of a walk go. NULL: dropped. */
struct order {
  isl_union_map *forward;
  isl_union_map *backward; /* S after T, or neither before the other */
  bool unordered_forward;  /* put pairs without any order into forward as well? */
  bool stop;               /* one backward pair is enough */
};

static void put(isl_union_map **set, isl_union_map *pairs)
{
  if (*set && isl_union_map_is_empty(pairs) != isl_bool_true)
    *set = isl_union_map_union(*set, pairs);
  else
    isl_union_map_free(pairs);
}

/* Put PAIRS without any order between their ends. */
static void put_unordered(struct order *order, isl_union_map *pairs)
{
  if (order->unordered_forward)
    put(&order->forward, isl_union_map_copy(pairs));
  put(&order->backward, pairs);
}

static isl_bool order_is_done(struct order *order, isl_union_map *open)
{
  isl_bool done = isl_union_map_is_empty(open);
  if (done == isl_bool_false && order->stop)
    done = isl_bool_not(isl_union_map_is_empty(order->backward));
  return done;
}

static isl_union_map *between(isl_union_map *open, isl_union_set *from, isl_union_set *to)
{
  open = isl_union_map_intersect_domain(isl_union_map_copy(open), isl_union_set_copy(from));
  return isl_union_map_intersect_range(open, isl_union_set_copy(to));
}

/* Has MAP an end in one of the spaces of the union set USER? Stops with an error if so. */
static isl_stat find_end(isl_map *map, void *user)
{
  isl_union_set *filter = user;
  isl_space *from = isl_space_domain(isl_map_get_space(map)), *to = isl_space_range(isl_map_get_space(map));
  bool has = isl_union_set_contains(filter, from) != isl_bool_false || isl_union_set_contains(filter, to) != isl_bool_false;
  isl_space_free(from);
  isl_space_free(to);
  isl_map_free(map);
  return has ? isl_stat_error : isl_stat_ok;
}

/* May pairs of OPEN have an end in FILTER? Of many children few have any: isl would align all of them. */
static bool may_end_in(isl_union_map *open, isl_union_set *filter)
{
  return isl_union_map_foreach_map(open, find_end, filter) == isl_stat_error;
}

/* Split OPEN by the members of a band; return what stays open. */
static isl_union_map *order_band(isl_schedule_node *node, isl_union_map *open, struct order *order)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_size n = isl_multi_union_pw_aff_size(partial);
  for (int i = 0; i < n && order_is_done(order, open) == isl_bool_false; i++) {
    isl_multi_union_pw_aff *member = tsr_member_schedule(partial, i);
    if (order->forward)
      put(&order->forward,
          isl_union_map_lex_lt_at_multi_union_pw_aff(isl_union_map_copy(open), isl_multi_union_pw_aff_copy(member)));
    if (order->backward)
      put(&order->backward,
          isl_union_map_lex_gt_at_multi_union_pw_aff(isl_union_map_copy(open), isl_multi_union_pw_aff_copy(member)));
    open = isl_union_map_eq_at_multi_union_pw_aff(open, member);
  }
  isl_multi_union_pw_aff_free(partial);
  return open;
}

static isl_stat order_node(isl_schedule_node *node, isl_union_map *open, struct order *order);

/* Split OPEN by the children of a sequence or set, and go on in each child. */
static isl_stat order_children(isl_schedule_node *node, isl_union_map *open, struct order *order)
{
  bool sequence = isl_schedule_node_get_type(node) == isl_schedule_node_sequence;
  isl_size n = isl_schedule_node_n_children(node);
  isl_stat ok = n < 0 ? isl_stat_error : isl_stat_ok;
  isl_union_set *later = isl_union_set_empty_ctx(isl_schedule_node_get_ctx(node));
  for (int i = n - 1; i >= 0 && ok == isl_stat_ok; i--) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    isl_union_set *filter = isl_schedule_node_filter_get_filter(child);
    if (!may_end_in(open, filter)) {
      isl_union_set_free(filter);
      isl_schedule_node_free(child);
      continue;
    }
    isl_union_map *ahead = between(open, filter, later), *back = between(open, later, filter);
    if (sequence) {
      put(&order->forward, ahead);
      put(&order->backward, back);
    } else {
      put_unordered(order, isl_union_map_union(ahead, back));
    }
    ok = order_node(child, between(open, filter, filter), order);
    isl_schedule_node_free(child);
    later = isl_union_set_union(later, filter);
  }
  isl_union_set_free(later);
  isl_union_map_free(open);
  return ok;
}

/* Split OPEN { S -> T }, two instances below NODE that all nodes above leave together, by the tree below. */
static isl_stat order_node(isl_schedule_node *node, isl_union_map *open, struct order *order)
{
  isl_bool done = order_is_done(order, open);
  if (done != isl_bool_false) {
    isl_union_map_free(open);
    return done < 0 ? isl_stat_error : isl_stat_ok;
  }
  enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
  if (type == isl_schedule_node_error) {
    isl_union_map_free(open);
    return isl_stat_error;
  }
  if (type == isl_schedule_node_leaf) {
    put_unordered(order, open);
    return isl_stat_ok;
  }
  if (type == isl_schedule_node_sequence || type == isl_schedule_node_set)
    return order_children(node, open, order);
  if (type == isl_schedule_node_band)
    open = order_band(node, open, order);
  isl_schedule_node *child = isl_schedule_node_get_child(node, 0);
  isl_stat ok = order_node(child, open, order);
  isl_schedule_node_free(child);
  return ok;
}

isl_union_map *tsr_tree_order_forward(isl_schedule_node *root, isl_union_map *pairs, bool maybe)
{
  struct order order = {.forward = isl_union_map_empty_ctx(isl_schedule_node_get_ctx(root)), .unordered_forward = maybe};
  if (order_node(root, pairs, &order) < 0)
    return isl_union_map_free(order.forward);
  return isl_union_map_coalesce(order.forward);
}

isl_union_map *tsr_tree_order_backward(isl_schedule_node *root, isl_union_map *pairs)
{
  struct order order = {.backward = isl_union_map_empty_ctx(isl_schedule_node_get_ctx(root)), .stop = true};
  if (order_node(root, pairs, &order) < 0)
    return isl_union_map_free(order.backward);
  return order.backward;
}
