/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strides, and the order of a band's members.
 *
 *   order   { S[i] -> [t0, ..., tn] }   all band members from the root to the leaf of S
 *   step    order . { t -> t + e_pos } . order^-1    the next instance when only one loop moves on
 *   stride  deltas of access^-1 . step . access      constant for affine accesses and uniform steps
 *
 * The loop with the fewest cache lines a step goes innermost. A permutable band without bands below may end with any
 * of its members; a coincident member, whose iterations share no element at all, may go below everything, each
 * statement getting a loop of its own.  For C[i][j] += A[i][k] * B[k][j]:
 *
 *   B(i, j, k) - X                   ->   B(i, k, j) - X
 *   B(i, j) - seq(S, B(k) - T)       ->   B(i) - seq(B(j) - S, B(k) - B(j) - T) */
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

/* { S[i] -> S[i'] : ORDER(i') = ORDER(i) but for dimension POS, which is one larger }. ORDER: { S[i] -> [t] } */
static isl_map *step_map(isl_map *order, int pos)
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

/* The differences that MAP makes, as constants in VALUE where each dimension has one. *EMPTY: MAP is empty. */
static bool fixed_deltas(isl_map *map, long value[TSR_MAX_DIM], bool *empty)
{
  isl_set *deltas = isl_set_detect_equalities(isl_set_coalesce(isl_map_deltas(isl_map_copy(map))));
  isl_size n = isl_set_dim(deltas, isl_dim_set);
  bool fixed = n >= 0 && n <= TSR_MAX_DIM;
  *empty = isl_set_is_empty(deltas) != isl_bool_false;
  for (int i = 0; i < n && fixed && !*empty; i++)
    fixed = fixed_value(deltas, i, &value[i]) == isl_bool_true;
  isl_set_free(deltas);
  return fixed && !*empty;
}

void tsr_step_init(struct tsr_step *step, isl_map *order, int pos)
{
  *step = (struct tsr_step){.map = step_map(order, pos)};
  step->fixed = fixed_deltas(step->map, step->delta, &step->empty);
}

void tsr_step_clear(struct tsr_step *step)
{
  isl_map_free(step->map);
}

/* The difference of subscript POS of SUBSCRIPTS along DELTA in *VALUE; false where it is not a constant. */
static bool subscript_delta(isl_multi_aff *subscripts, int pos, const long delta[TSR_MAX_DIM], long *value)
{
  isl_aff *aff = isl_multi_aff_get_aff(subscripts, pos);
  isl_size n = isl_aff_dim(aff, isl_dim_in);
  bool fixed = isl_aff_dim(aff, isl_dim_div) == 0;
  *value = 0;
  for (int i = 0; i < n && fixed; i++) {
    isl_val *factor = isl_aff_get_coefficient_val(aff, isl_dim_in, i);
    fixed = isl_val_is_int(factor) == isl_bool_true;
    *value += fixed ? isl_val_get_num_si(factor) * delta[i] : 0;
    isl_val_free(factor);
  }
  isl_aff_free(aff);
  return fixed;
}

/* What an access to A[k] does in a step in which the subscripts change by VALUE. */
static enum tsr_stride classify(const long value[TSR_MAX_DIM], int n)
{
  enum tsr_stride stride = TSR_STRIDE_ZERO;
  for (int i = 0; i < n; i++)
    if (value[i] != 0)
      stride = i == n - 1 && labs(value[i]) == 1 && stride == TSR_STRIDE_ZERO ? TSR_STRIDE_ONE : TSR_STRIDE_OTHER;
  return stride;
}

/* The subscripts of RELATION as one affine function of the iteration; NULL where they are none. */
static isl_multi_aff *affine_subscripts(isl_map *relation)
{
  isl_pw_multi_aff *subscripts = NULL;
  isl_multi_aff *affine = NULL;
  if (isl_map_plain_is_single_valued(relation) == isl_bool_true)
    subscripts = isl_pw_multi_aff_from_map(isl_map_copy(relation));
  if (isl_pw_multi_aff_n_piece(subscripts) == 1)
    affine = isl_pw_multi_aff_isa_multi_aff(subscripts) == isl_bool_true
                 ? isl_pw_multi_aff_as_multi_aff(isl_pw_multi_aff_copy(subscripts))
                 : NULL;
  isl_pw_multi_aff_free(subscripts);
  return affine;
}

/* The general case: the differences between the elements at both ends of STEP. */
static enum tsr_stride stride_by_deltas(isl_map *relation, struct tsr_step *step)
{
  long value[TSR_MAX_DIM];
  bool empty;
  isl_map *move = isl_map_apply_domain(isl_map_copy(step->map), isl_map_copy(relation));
  move = isl_map_apply_range(move, isl_map_copy(relation));
  bool fixed = fixed_deltas(move, value, &empty);
  isl_map_free(move);
  return empty ? TSR_STRIDE_NONE : fixed ? classify(value, isl_map_dim(relation, isl_dim_out)) : TSR_STRIDE_OTHER;
}

enum tsr_stride tsr_access_stride(isl_map *relation, struct tsr_step *step)
{
  long value[TSR_MAX_DIM];
  isl_size n = isl_map_dim(relation, isl_dim_out);
  if (step->empty)
    return TSR_STRIDE_NONE;
  isl_multi_aff *subscripts = step->fixed && n <= TSR_MAX_DIM ? affine_subscripts(relation) : NULL;
  bool fixed = subscripts != NULL;
  for (int i = 0; i < n && fixed; i++)
    fixed = subscript_delta(subscripts, i, step->delta, &value[i]);
  isl_multi_aff_free(subscripts);
  return fixed ? classify(value, n) : stride_by_deltas(relation, step);
}

/* A loop that carries a dependence cannot become a vector: worth most of a line a step. */
#define SERIAL_PENALTY 0.75

/* What is known about the loops of one band; loop N stands for the innermost loops below it. */
struct band_strides {
  struct tsr_scop *scop;
  isl_schedule_node *band;
  int depth;      /* schedule dimensions outside of the band */
  int n;          /* its members */
  int max_dim;    /* dimensions of the deepest statements below; only those count */
  double *cost;   /* cache lines a step, by loop: N + 1 */
  bool *has_step; /* does any statement move along this loop? N + 1 */
  bool *across;   /* is an array of two dimensions walked across its rows along this loop? N + 1 */
  bool reuse;     /* is an element of an array of two dimensions used again along some member? */
  bool serial;    /* does the innermost loop above the present leaf carry a dependence? */
};

static void add_access(struct band_strides *strides, struct tsr_access *access, struct tsr_step *step, int loop)
{
  struct tsr_array *array = &strides->scop->arrays[access->array];
  enum tsr_stride stride = tsr_access_stride(access->relation, step);
  if (array->kind == TSR_ARRAY_SCALAR || stride == TSR_STRIDE_NONE)
    return;
  if (stride == TSR_STRIDE_ONE)
    strides->cost[loop] += array->elem_size / 64.0;
  if (stride == TSR_STRIDE_OTHER)
    strides->cost[loop] += 1;
  strides->across[loop] |= stride == TSR_STRIDE_OTHER && array->n_dim >= 2;
  strides->reuse |= loop < strides->n && stride == TSR_STRIDE_ZERO && array->n_dim >= 2;
}

/* One statement and one loop: dimension POS of ORDER, loop LOOP of STRIDES. Does the statement move along it? */
static isl_bool add_step(struct band_strides *strides, struct tsr_stmt *stmt, isl_map *order, int pos, int loop)
{
  struct tsr_step step;
  tsr_step_init(&step, order, pos);
  strides->has_step[loop] |= !step.empty;
  for (int k = 0; !step.empty && k < stmt->n_access; k++)
    add_access(strides, &stmt->access[k], &step, loop);
  tsr_step_clear(&step);
  return isl_bool_ok(!step.empty);
}

static isl_stat add_statement(isl_map *order, void *user)
{
  struct band_strides *strides = user;
  int index = tsr_scop_find_stmt(strides->scop, isl_map_get_tuple_name(order, isl_dim_in));
  struct tsr_stmt *stmt = index < 0 ? NULL : &strides->scop->stmts[index];
  isl_size n_dim = isl_map_dim(order, isl_dim_out);
  if (stmt && isl_set_dim(stmt->domain, isl_dim_set) == strides->max_dim) {
    for (int m = 0; m < strides->n; m++)
      add_step(strides, stmt, order, strides->depth + m, m);
    isl_bool moves = isl_bool_false;
    for (int pos = n_dim - 1; pos >= strides->depth && moves == isl_bool_false; pos--)
      moves = add_step(strides, stmt, order, pos, strides->n);
    strides->cost[strides->n] += strides->serial ? SERIAL_PENALTY : 0;
    for (int m = 0; m < strides->n; m++)
      if (isl_schedule_node_band_member_get_coincident(strides->band, m) != isl_bool_true)
        strides->cost[m] += SERIAL_PENALTY;
  }
  isl_map_free(order);
  return stmt ? isl_stat_ok : isl_stat_error;
}

/* Does the innermost band member above LEAF carry a dependence? */
static bool leaf_is_serial(isl_schedule_node *leaf)
{
  isl_schedule_node *node = isl_schedule_node_copy(leaf);
  while (isl_schedule_node_get_type(node) != isl_schedule_node_band && isl_schedule_node_has_parent(node) == isl_bool_true)
    node = isl_schedule_node_parent(node);
  bool serial = true;
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band) {
    isl_size n = isl_schedule_node_band_n_member(node);
    serial = n < 1 || isl_schedule_node_band_member_get_coincident(node, n - 1) != isl_bool_true;
  }
  isl_schedule_node_free(node);
  return serial;
}

static isl_stat add_leaf(isl_schedule_node *leaf, void *user)
{
  struct band_strides *strides = user;
  isl_union_map *order = isl_schedule_node_get_prefix_schedule_union_map(leaf);
  order = isl_union_map_intersect_domain(order, isl_schedule_node_get_domain(leaf));
  order = isl_union_map_intersect_params(order, tsr_scop_known(strides->scop));
  strides->serial = leaf_is_serial(leaf);
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
  free(strides->across);
}

static isl_stat strides_compute(struct band_strides *strides, isl_schedule_node *node, struct tsr_scop *scop)
{
  isl_size depth = isl_schedule_node_get_schedule_depth(node), n = isl_schedule_node_band_n_member(node);
  if (depth < 0 || n < 0)
    return isl_stat_error;
  *strides = (struct band_strides){.scop = scop, .band = node, .depth = depth, .n = n};
  strides->cost = calloc(n + 1, sizeof(*strides->cost));
  strides->has_step = calloc(n + 1, sizeof(*strides->has_step));
  strides->across = calloc(n + 1, sizeof(*strides->across));
  if (!strides->cost || !strides->has_step || !strides->across)
    return isl_stat_error;
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  isl_stat ok = isl_union_set_foreach_set(domain, deepest, &strides->max_dim);
  isl_union_set_free(domain);
  return ok < 0 ? ok : tsr_node_foreach_leaf(node, add_leaf, strides);
}

/* May loop M of the band at NODE become innermost, whatever runs below it? (The flag alone does not tell: it leaves out
 * SCALAR arrays that would have to be private.) */
static isl_bool member_may_sink(isl_schedule_node *node, struct tsr_scop *scop, int m)
{
  if (isl_schedule_node_band_get_permutable(node) == isl_bool_true && tsr_node_has_band_below(node) == isl_bool_false)
    return isl_bool_true;
  if (isl_schedule_node_band_member_get_coincident(node, m) != isl_bool_true)
    return isl_bool_false;
  bool *private = calloc(scop->n_array + 1, sizeof(*private));
  isl_schedule_node *first = tsr_band_move_member(isl_schedule_node_copy(node), m, 0);
  isl_bool may = private ? tsr_band_is_parallel(first, scop, TSR_ANY_ARRAY, private) : isl_bool_error;
  for (int i = 0; may == isl_bool_true && i < scop->n_array; i++)
    may = isl_bool_ok(!private[i]);
  isl_schedule_node_free(first);
  free(private);
  return may;
}

int tsr_band_find_innermost(isl_schedule_node *node, struct tsr_scop *scop, bool *reuse)
{
  struct band_strides strides = {0};
  isl_stat ok = strides_compute(&strides, node, scop);
  int best = -1;
  double best_cost = ok == isl_stat_ok ? strides.cost[strides.n] : 0;
  for (int m = strides.n - 1; ok == isl_stat_ok && m >= 0; m--) {
    if (!strides.has_step[m] || strides.cost[m] > 0.9 * best_cost || member_may_sink(node, scop, m) != isl_bool_true)
      continue;
    best = m;
    best_cost = strides.cost[m];
  }
  *reuse = ok == isl_stat_ok && (strides.reuse || strides.across[best < 0 ? strides.n : best]);
  strides_clear(&strides);
  return best;
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
