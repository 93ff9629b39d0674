/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The order of a band's members, by the strides of accesses (steps.c).
 *
 * The loop with the fewest cache lines a step goes innermost. A permutable band without bands below may end with any
 * of its members; a coincident member, whose iterations share no element at all, may go below everything, each
 * statement getting a loop of its own.  For C[i][j] += A[i][k] * B[k][j]:
 *
 *   B(i, j, k) - X                   ->   B(i, k, j) - X
 *   B(i, j) - seq(S, B(k) - T)       ->   B(i) - seq(B(j) - S, B(k) - B(j) - T) */
#include "bridge.h"
#include <isl/constraint.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* Nothing hangs on a bound of this size: it is the range of a type. */
#define LARGE_BOUND (1 << 20)

/* Sets that are held keep their addresses for themselves. */
void tsr_scop_renew(struct tsr_scop *scop)
{
  if (scop->kept.context == scop->context && scop->kept.assumed == scop->assumed)
    return;
  isl_set_free(scop->kept.context);
  isl_set_free(scop->kept.assumed);
  scop->kept.known = isl_set_free(scop->kept.known);
  scop->kept.telling = isl_set_free(scop->kept.telling);
  scop->kept.common = isl_set_free(scop->kept.common);
  scop->kept.typical = isl_set_free(scop->kept.typical);
  for (int i = 0; i < TSR_N_INNERMOST; i++)
    scop->kept.innermost[i].band = isl_schedule_node_free(scop->kept.innermost[i].band);
  scop->kept.context = isl_set_copy(scop->context);
  scop->kept.assumed = isl_set_copy(scop->assumed);
}

isl_set *tsr_scop_known(struct tsr_scop *scop)
{
  tsr_scop_renew(scop);
  if (!scop->kept.known) {
    isl_set *known = isl_set_intersect(isl_set_copy(scop->context), isl_set_copy(scop->assumed));
    scop->kept.known = isl_set_coalesce(isl_set_params(known));
  }
  return isl_set_copy(scop->kept.known);
}

/* Add CONSTRAINT to *USER unless it bounds one parameter by a large constant. */
static isl_stat keep_telling(isl_constraint *constraint, void *user)
{
  isl_basic_set **kept = user;
  isl_val *bound = isl_constraint_get_constant_val(constraint);
  isl_size n = isl_constraint_dim(constraint, isl_dim_param);
  int involved = 0;
  for (int i = 0; i < n; i++)
    involved += isl_constraint_involves_dims(constraint, isl_dim_param, i, 1) == isl_bool_true;
  bool large = isl_val_cmp_si(bound, LARGE_BOUND) >= 0 || isl_val_cmp_si(bound, -LARGE_BOUND) <= 0;
  isl_val_free(bound);
  if (involved >= 1 && large && isl_constraint_is_equality(constraint) == isl_bool_false)
    isl_constraint_free(constraint);
  else
    *kept = isl_basic_set_add_constraint(*kept, constraint);
  return isl_stat_ok;
}

/* KNOWN without bounds that tell nothing. */
static isl_set *drop_ranges(__isl_take isl_set *known)
{
  if (isl_set_n_basic_set(known) != 1)
    return known;
  isl_basic_set_list *list = isl_set_get_basic_set_list(known);
  isl_basic_set *all = isl_basic_set_list_get_at(list, 0);
  isl_basic_set *kept = isl_basic_set_universe(isl_basic_set_get_space(all));
  if (isl_basic_set_dim(all, isl_dim_div) == 0 &&
      isl_basic_set_foreach_constraint(all, keep_telling, &kept) == isl_stat_ok) {
    isl_set_free(known);
    known = isl_set_from_basic_set(kept);
  } else {
    isl_basic_set_free(kept);
  }
  isl_basic_set_free(all);
  isl_basic_set_list_free(list);
  return known;
}

isl_set *tsr_scop_telling(struct tsr_scop *scop)
{
  tsr_scop_renew(scop);
  if (!scop->kept.telling)
    scop->kept.telling = drop_ranges(isl_set_remove_redundancies(tsr_scop_known(scop)));
  return isl_set_copy(scop->kept.telling);
}

isl_set *tsr_scop_common(struct tsr_scop *scop)
{
  tsr_scop_renew(scop);
  if (!scop->kept.common) {
    isl_set *known = isl_set_remove_redundancies(tsr_scop_known(scop));
    if (isl_set_n_basic_set(known) > 1)
      known = isl_set_from_basic_set(isl_set_unshifted_simple_hull(known));
    scop->kept.common = drop_ranges(known);
  }
  return isl_set_copy(scop->kept.common);
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

/* ---- the order of one statement ---- */

static isl_stat take_aff(isl_set *domain, isl_aff *aff, void *user)
{
  isl_set_free(domain);
  *(isl_aff **)user = aff;
  return isl_stat_ok;
}

/* The function of the statement at SPACE in MEMBER, where it has one piece; else NULL. */
static isl_aff *member_aff(isl_union_pw_aff *member, isl_space *space)
{
  isl_aff *aff = NULL;
  isl_space *function = isl_space_add_dims(isl_space_from_domain(isl_space_copy(space)), isl_dim_out, 1);
  isl_pw_aff *pieces = isl_union_pw_aff_extract_pw_aff(member, function);
  if (isl_pw_aff_n_piece(pieces) == 1)
    isl_pw_aff_foreach_piece(pieces, take_aff, &aff);
  isl_pw_aff_free(pieces);
  return isl_aff_align_params(aff, isl_space_copy(space));
}

isl_multi_aff *tsr_prefix_time(isl_multi_union_pw_aff *prefix, isl_space *space)
{
  isl_size n = isl_multi_union_pw_aff_size(prefix);
  isl_aff_list *list = isl_aff_list_alloc(isl_space_get_ctx(space), n > 0 ? n : 0);
  isl_space *range = isl_space_align_params(isl_multi_union_pw_aff_get_space(prefix), isl_space_copy(space));
  bool affine = n >= 0;
  for (int i = 0; i < n && affine; i++) {
    isl_union_pw_aff *member = isl_multi_union_pw_aff_get_at(prefix, i);
    isl_aff *aff = member_aff(member, space);
    affine = aff != NULL;
    list = affine ? isl_aff_list_add(list, aff) : list;
    isl_union_pw_aff_free(member);
  }
  if (affine)
    return isl_multi_aff_from_aff_list(isl_space_map_from_domain_and_range(isl_space_copy(space), range), list);
  isl_space_free(range);
  isl_aff_list_free(list);
  return NULL;
}

/* What tsr_leaf_foreach_order passes to each statement. */
struct leaf_orders {
  struct tsr_scop *scop;
  isl_multi_union_pw_aff *prefix;
  isl_stat (*fn)(struct tsr_order *order, void *user);
  void *user;
};

static isl_stat call_with_order(isl_set *domain, void *user)
{
  struct leaf_orders *orders = user;
  int index = tsr_scop_find_stmt(orders->scop, isl_set_get_tuple_name(domain));
  domain = isl_set_align_params(domain, isl_multi_union_pw_aff_get_space(orders->prefix));
  struct tsr_order order = {.stmt = index < 0 ? NULL : &orders->scop->stmts[index], .domain = domain};
  isl_space *space = isl_set_get_space(domain);
  order.time = tsr_prefix_time(orders->prefix, space);
  if (order.time) {
    order.map = isl_map_from_multi_aff(isl_multi_aff_copy(order.time));
  } else {
    isl_union_map *all = isl_union_map_from_multi_union_pw_aff(isl_multi_union_pw_aff_copy(orders->prefix));
    isl_space *range = isl_space_align_params(isl_multi_union_pw_aff_get_space(orders->prefix), isl_space_copy(space));
    order.map = isl_union_map_extract_map(all, isl_space_map_from_domain_and_range(isl_space_copy(space), range));
    isl_union_map_free(all);
  }
  isl_space_free(space);
  order.map = isl_map_intersect_domain(order.map, isl_set_copy(domain));
  isl_stat ok = order.stmt && order.map ? orders->fn(&order, orders->user) : isl_stat_error;
  isl_multi_aff_free(order.time);
  isl_map_free(order.map);
  isl_set_free(order.domain);
  return ok;
}

isl_stat tsr_leaf_foreach_order(isl_schedule_node *leaf, struct tsr_scop *scop, isl_set *parameters,
                                isl_stat (*fn)(struct tsr_order *order, void *user), void *user)
{
  isl_union_set *domain = isl_union_set_intersect_params(isl_schedule_node_get_domain(leaf), parameters);
  isl_multi_union_pw_aff *prefix = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(leaf);
  struct leaf_orders orders = {scop, prefix, fn, user};
  isl_stat ok = prefix ? isl_union_set_foreach_set(domain, call_with_order, &orders) : isl_stat_error;
  isl_multi_union_pw_aff_free(prefix);
  isl_union_set_free(domain);
  return ok;
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
static bool add_step(struct band_strides *strides, struct tsr_order *order, int pos, int loop)
{
  struct tsr_step step;
  tsr_step_init(&step, order, pos);
  strides->has_step[loop] |= !step.empty;
  for (int k = 0; !step.empty && k < order->stmt->n_access; k++)
    add_access(strides, &order->stmt->access[k], &step, loop);
  return !step.empty;
}

static isl_stat add_statement(struct tsr_order *order, void *user)
{
  struct band_strides *strides = user;
  isl_size n_dim = isl_map_dim(order->map, isl_dim_out);
  if (isl_set_dim(order->stmt->domain, isl_dim_set) != strides->max_dim || isl_set_is_empty(order->domain) != isl_bool_false)
    return isl_stat_ok;
  for (int m = 0; m < strides->n; m++)
    add_step(strides, order, strides->depth + m, m);
  bool moves = false;
  for (int pos = n_dim - 1; pos >= strides->depth && !moves; pos--)
    moves = add_step(strides, order, pos, strides->n);
  strides->cost[strides->n] += strides->serial ? SERIAL_PENALTY : 0;
  for (int m = 0; m < strides->n; m++)
    if (isl_schedule_node_band_member_get_coincident(strides->band, m) != isl_bool_true)
      strides->cost[m] += SERIAL_PENALTY;
  return isl_stat_ok;
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
  strides->serial = leaf_is_serial(leaf);
  return tsr_leaf_foreach_order(leaf, strides->scop, tsr_scop_common(strides->scop), add_statement, strides);
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

static int find_innermost(isl_schedule_node *node, struct tsr_scop *scop, bool *reuse)
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

/* Register tiles, interchange and tiles ask for the same bands. */
int tsr_band_find_innermost(isl_schedule_node *node, struct tsr_scop *scop, bool *reuse)
{
  tsr_scop_renew(scop);
  for (int i = 0; i < TSR_N_INNERMOST && scop->kept.innermost[i].band; i++)
    if (isl_schedule_node_is_equal(scop->kept.innermost[i].band, node) == isl_bool_true) {
      *reuse = scop->kept.innermost[i].reuse;
      return scop->kept.innermost[i].best;
    }
  int best = find_innermost(node, scop, reuse), at = scop->kept.n_innermost++ % TSR_N_INNERMOST;
  if (isl_ctx_last_error(scop->ctx) != isl_error_none)
    return best;
  isl_schedule_node_free(scop->kept.innermost[at].band);
  scop->kept.innermost[at].band = isl_schedule_node_copy(node);
  scop->kept.innermost[at].best = best;
  scop->kept.innermost[at].reuse = *reuse;
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
