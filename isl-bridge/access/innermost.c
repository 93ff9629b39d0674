/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The order of a band's members, by the strides of accesses (strides.c).
 *
 * The loop with the fewest cache lines a step goes innermost. A permutable band without bands below may end with any
 * of its members; a coincident member, whose iterations share no element at all, may go below everything, each
 * statement getting a loop of its own.  For C[i][j] += A[i][k] * B[k][j]:
 *
 *   B(i, j, k) - X                   ->   B(i, k, j) - X
 *   B(i, j) - seq(S, B(k) - T)       ->   B(i) - seq(B(j) - S, B(k) - B(j) - T) */
#include "access/access.h"
#include <isl/constraint.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

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
