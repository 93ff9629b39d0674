/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strides, and the order of a band's members.
 *
 *   order   { S[i] -> [t0, ..., tn] }   all band members from the root to the leaf of S
 *   step    order . { t -> t + e_pos } . order^-1    the next instance when only one loop moves on
 *   stride  deltas of access^-1 . step . access      constant for affine accesses and uniform steps
 *
 * A permutable band may end with any of its members. The one with the fewest cache lines a step goes there:
 *
 *   B(i, j, k) - X   ->   B(i, k, j) - X      for C[i][j] += A[i][k] * B[k][j] */
#include "bridge.h"
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

isl_set *tsr_scop_known(struct tsr_scop *scop)
{
  isl_set *known = isl_set_intersect(isl_set_copy(scop->context), isl_set_copy(scop->assumed));
  return isl_set_coalesce(isl_set_params(known));
}

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

isl_map *tsr_order_step(isl_map *order, int pos)
{
  isl_multi_aff *next = isl_multi_aff_identity_on_domain_space(isl_space_range(isl_map_get_space(order)));
  isl_aff *moved = isl_aff_add_constant_si(isl_multi_aff_get_aff(next, pos), 1);
  next = isl_multi_aff_set_aff(next, pos, moved);
  isl_map *step = isl_map_apply_range(isl_map_copy(order), isl_map_from_multi_aff(next));
  return isl_map_apply_range(step, isl_map_reverse(isl_map_copy(order)));
}

/* The constant value of dimension POS of DELTAS in *VALUE; false where there is none. */
static isl_bool fixed_value(isl_set *deltas, int pos, long *value)
{
  isl_val *v = isl_set_plain_get_val_if_fixed(deltas, isl_dim_set, pos);
  isl_bool is_int = isl_val_is_int(v);
  if (is_int == isl_bool_true)
    *value = isl_val_get_num_si(v);
  isl_val_free(v);
  return is_int;
}

enum tsr_stride tsr_access_stride(isl_map *relation, isl_map *step)
{
  isl_map *move = isl_map_apply_domain(isl_map_copy(step), isl_map_copy(relation));
  move = isl_map_apply_range(move, isl_map_copy(relation));
  isl_set *deltas = isl_set_detect_equalities(isl_set_coalesce(isl_map_deltas(move)));
  isl_size n = isl_set_dim(deltas, isl_dim_set);
  enum tsr_stride stride = TSR_STRIDE_ZERO;
  if (isl_set_is_empty(deltas) != isl_bool_false)
    stride = TSR_STRIDE_NONE;
  for (int i = 0; stride != TSR_STRIDE_NONE && i < n; i++) {
    long value = 0;
    if (fixed_value(deltas, i, &value) != isl_bool_true)
      stride = TSR_STRIDE_OTHER;
    else if (value != 0 && stride == TSR_STRIDE_ZERO)
      stride = i == n - 1 && labs(value) == 1 ? TSR_STRIDE_ONE : TSR_STRIDE_OTHER;
  }
  isl_set_free(deltas);
  return stride;
}

/* What is known about the members of one band: strides by member, summed over the accesses below. */
struct band_strides {
  struct tsr_scop *scop;
  int depth;      /* schedule dimensions outside of the band */
  int n;          /* its members */
  int max_dim;    /* dimensions of the deepest statement below; only those count */
  double *cost;   /* cache lines a step, by member */
  bool *has_step; /* does any statement move along this member? */
  bool reuse;     /* is an element of an array of two dimensions used again along some member? */
  bool across;    /* is an array walked across its rows? */
};

static void add_access(struct band_strides *strides, struct tsr_access *access, isl_map *step, int member)
{
  struct tsr_array *array = &strides->scop->arrays[access->array];
  enum tsr_stride stride = tsr_access_stride(access->relation, step);
  if (array->kind == TSR_ARRAY_SCALAR || stride == TSR_STRIDE_NONE)
    return;
  if (stride == TSR_STRIDE_ONE)
    strides->cost[member] += array->elem_size / 64.0;
  if (stride == TSR_STRIDE_OTHER)
    strides->cost[member] += 1;
  strides->reuse |= stride == TSR_STRIDE_ZERO && array->n_dim >= 2;
  strides->across |= stride == TSR_STRIDE_OTHER && array->n_dim >= 2;
}

static isl_stat add_statement(isl_map *order, void *user)
{
  struct band_strides *strides = user;
  int index = tsr_scop_find_stmt(strides->scop, isl_map_get_tuple_name(order, isl_dim_in));
  struct tsr_stmt *stmt = index < 0 ? NULL : &strides->scop->stmts[index];
  if (stmt && isl_set_dim(stmt->domain, isl_dim_set) == strides->max_dim)
    for (int m = 0; m < strides->n; m++) {
      isl_map *step = tsr_order_step(order, strides->depth + m);
      isl_bool empty = isl_map_is_empty(step);
      strides->has_step[m] |= empty == isl_bool_false;
      for (int k = 0; empty == isl_bool_false && k < stmt->n_access; k++)
        add_access(strides, &stmt->access[k], step, m);
      isl_map_free(step);
    }
  isl_map_free(order);
  return stmt ? isl_stat_ok : isl_stat_error;
}

static isl_stat add_leaf(isl_schedule_node *leaf, void *user)
{
  struct band_strides *strides = user;
  isl_union_map *order = isl_schedule_node_get_prefix_schedule_union_map(leaf);
  order = isl_union_map_intersect_domain(order, isl_schedule_node_get_domain(leaf));
  order = isl_union_map_intersect_params(order, tsr_scop_known(strides->scop));
  isl_stat ok = isl_union_map_foreach_map(order, add_statement, strides);
  isl_union_map_free(order);
  return ok;
}

static isl_stat deepest(isl_set *set, void *user)
{
  int *max_dim = user;
  isl_size n = isl_set_dim(set, isl_dim_set);
  isl_set_free(set);
  if (n > *max_dim)
    *max_dim = n;
  return n < 0 ? isl_stat_error : isl_stat_ok;
}

static void strides_clear(struct band_strides *strides)
{
  free(strides->cost);
  free(strides->has_step);
}

static isl_stat strides_compute(struct band_strides *strides, isl_schedule_node *node, struct tsr_scop *scop)
{
  isl_size depth = isl_schedule_node_get_schedule_depth(node), n = isl_schedule_node_band_n_member(node);
  if (depth < 0 || n < 0)
    return isl_stat_error;
  *strides = (struct band_strides){.scop = scop, .depth = depth, .n = n};
  strides->cost = calloc(n + 1, sizeof(*strides->cost));
  strides->has_step = calloc(n + 1, sizeof(*strides->has_step));
  if (!strides->cost || !strides->has_step)
    return isl_stat_error;
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  isl_stat ok = isl_union_set_foreach_set(domain, deepest, &strides->max_dim);
  isl_union_set_free(domain);
  return ok < 0 ? ok : tsr_node_foreach_leaf(node, add_leaf, strides);
}

/* A loop that carries a dependence cannot become a vector: worth a quarter of a line for each access. */
#define SERIAL_PENALTY 0.75

int tsr_band_find_innermost(isl_schedule_node *node, struct tsr_scop *scop)
{
  struct band_strides strides = {0};
  int best = -1;
  double best_cost = 0;
  isl_stat ok = strides_compute(&strides, node, scop);
  for (int m = strides.n - 1; ok == isl_stat_ok && m >= 0; m--) {
    double cost = strides.cost[m];
    if (isl_schedule_node_band_member_get_coincident(node, m) != isl_bool_true)
      cost += SERIAL_PENALTY;
    if (!strides.has_step[m] || (best >= 0 && cost >= best_cost))
      continue;
    best = m;
    best_cost = cost;
  }
  if (best == strides.n - 1)
    best = -1;
  strides_clear(&strides);
  return best;
}

isl_bool tsr_band_has_reuse(isl_schedule_node *node, struct tsr_scop *scop)
{
  struct band_strides strides = {0};
  isl_stat ok = strides_compute(&strides, node, scop);
  isl_bool result = ok < 0 ? isl_bool_error : isl_bool_ok(strides.reuse);
  strides_clear(&strides);
  return result;
}

isl_schedule_node *tsr_band_sink_member(isl_schedule_node *node, int pos)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_pw_aff_list *list = isl_multi_union_pw_aff_get_list(partial);
  isl_size n = isl_schedule_node_band_n_member(node);
  unsigned long coincident = 0; /* bit i: member i of the new order */
  isl_bool permutable = isl_schedule_node_band_get_permutable(node);
  for (int i = 0; i < n; i++) {
    int old = i < pos ? i : i < n - 1 ? i + 1 : pos;
    if (isl_schedule_node_band_member_get_coincident(node, old) == isl_bool_true)
      coincident |= 1ul << i;
  }
  isl_union_pw_aff *last = isl_union_pw_aff_list_get_at(list, pos);
  list = isl_union_pw_aff_list_add(isl_union_pw_aff_list_drop(list, pos, 1), last);
  isl_space *space = isl_multi_union_pw_aff_get_space(partial);
  isl_multi_union_pw_aff_free(partial);
  node = isl_schedule_node_delete(node);
  node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_aff_list(space, list));
  node = isl_schedule_node_band_set_permutable(node, permutable == isl_bool_true);
  for (int i = 0; i < n; i++)
    node = isl_schedule_node_band_member_set_coincident(node, i, coincident >> i & 1);
  return node;
}
