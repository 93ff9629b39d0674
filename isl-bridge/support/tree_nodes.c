/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What isl's functions on schedule nodes lack: visiting leaves, looking for bands, moving a band's members. */
#include "support/support.h"
#include <isl/val.h>
#include <stdlib.h>

isl_multi_union_pw_aff *tsr_member_schedule(isl_multi_union_pw_aff *partial, int i)
{
  return isl_multi_union_pw_aff_from_union_pw_aff(isl_multi_union_pw_aff_get_at(partial, i));
}

isl_stat tsr_node_foreach_leaf(isl_schedule_node *node, isl_stat (*fn)(isl_schedule_node *leaf, void *user), void *user)
{
  isl_size n = isl_schedule_node_n_children(node);
  if (n < 0)
    return isl_stat_error;
  if (n == 0)
    return fn(node, user);
  for (int i = 0; i < n; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    isl_stat ok = tsr_node_foreach_leaf(child, fn, user);
    isl_schedule_node_free(child);
    if (ok < 0)
      return isl_stat_error;
  }
  return isl_stat_ok;
}

static isl_bool is_no_band(isl_schedule_node *node, void *user)
{
  if (isl_schedule_node_is_equal(node, user) == isl_bool_true)
    return isl_bool_true;
  return isl_bool_ok(isl_schedule_node_get_type(node) != isl_schedule_node_band);
}

isl_bool tsr_node_has_band_below(isl_schedule_node *node)
{
  return isl_bool_not(isl_schedule_node_every_descendant(node, is_no_band, node));
}

isl_schedule_node *tsr_band_move_member(isl_schedule_node *node, int from, int to)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_pw_aff_list *list = isl_multi_union_pw_aff_get_list(partial);
  isl_space *space = isl_multi_union_pw_aff_get_space(partial);
  isl_size n = isl_schedule_node_band_n_member(node);
  isl_bool permutable = isl_schedule_node_band_get_permutable(node);
  bool *coincident = calloc(n + 1, sizeof(*coincident));
  for (int i = 0; coincident && i < n; i++) {
    int old = i == to ? from : i - (i > to) + (i - (i > to) >= from);
    coincident[i] = isl_schedule_node_band_member_get_coincident(node, old) == isl_bool_true;
  }
  isl_union_pw_aff *moved = isl_union_pw_aff_list_get_at(list, from);
  list = isl_union_pw_aff_list_insert(isl_union_pw_aff_list_drop(list, from, 1), to, moved);
  isl_multi_union_pw_aff_free(partial);
  node = isl_schedule_node_delete(node);
  node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_aff_list(space, list));
  node = isl_schedule_node_band_set_permutable(node, permutable == isl_bool_true);
  for (int i = 0; coincident && i < n; i++)
    node = isl_schedule_node_band_member_set_coincident(node, i, coincident[i]);
  free(coincident);
  return node;
}

isl_schedule_node *tsr_band_sink_member(isl_schedule_node *node, int pos)
{
  isl_size n = isl_schedule_node_band_n_member(node);
  node = tsr_band_move_member(node, pos, n - 1);
  if (tsr_node_has_band_below(node) != isl_bool_true)
    return node;
  if (n == 1)
    return isl_schedule_node_band_sink(node);
  node = isl_schedule_node_child(isl_schedule_node_band_split(node, n - 1), 0);
  return isl_schedule_node_parent(isl_schedule_node_band_sink(node));
}

isl_union_pw_aff *tsr_block_of(isl_union_pw_aff *member, int size)
{
  isl_ctx *ctx = isl_union_pw_aff_get_ctx(member);
  return isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(member, isl_val_int_from_si(ctx, size)));
}
