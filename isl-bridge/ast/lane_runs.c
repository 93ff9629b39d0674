/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instances that run at once, in a run of an AST.
 *
 *   lockstep    mark - for l = 0 .. n - 1 - X      X runs once, each user node for all l. Bounds and conditions are the same
 *                                                  for all of them, or the run stops
 *   registers   mark - .. - for v - S(.., v)       vectors of values of v from multiples of the lanes on; the instance in
 *                                                  lane l is that at the first value, moved l steps of the mark
 *   edges       mark - .. - for v - S(.., v)       the same, from the first v on
 *
 * Whoever runs the instances makes each access for all of them before the next one. */
#include "ast/ast_state.h"
#include "support/tuples.h"
#include <isl/id.h>
#include <stdlib.h>
#include <string.h>

/* The depth of the loop with ITERATOR, which is named by it. */
static int depth_of(const char *iterator)
{
  return atoi(iterator + strcspn(iterator, "0123456789"));
}

/* ---- user nodes ---- */

/* The place in the register tile of the instance at hand: a number for its row and vector. */
static uint64_t point_of(const struct tsr_run_state *s)
{
  uint64_t point = 1;
  for (const struct tsr_binding *b = s->scope; b && s->tile; b = b->outer)
    if (depth_of(b->name) >= s->tile->depth + s->tile->tile.n_reduction)
      point = tsr_hash_mix(tsr_hash_mix(point, tsr_hash_name(b->name)), (uint64_t)b->value);
  return point;
}

/* The N instances AT, of N_DIM dimensions each, of USER, at POINT in a tile (NULL: in none), at once. */
static bool run_together(struct tsr_run_state *s, isl_ast_node *user, const int64_t *at, int n_dim, size_t n,
                         const uint64_t *point)
{
  isl_ast_expr *expr = isl_ast_node_user_get_expr(user), *callee = isl_ast_expr_get_op_arg(expr, 0);
  isl_id *id = isl_ast_expr_get_id(callee);
  const char *name = isl_id_get_name(id);
  bool good = name || tsr_run_fail(s);
  if (good && s->run->together && (n > 1 || point)) {
    good = s->run->together(s->run->user, name, at, n_dim, (int)n, point);
  } else {
    for (size_t i = 0; good && i < n; i++)
      good = s->run->instance(s->run->user, name, at + i * n_dim, n_dim);
  }
  isl_id_free(id);
  isl_ast_expr_free(callee);
  isl_ast_expr_free(expr);
  return good;
}

bool tsr_run_lanes(struct tsr_run_state *s, isl_ast_node *user)
{
  size_t n = s->lanes ? s->lanes->n : 1, n_run = 0;
  int64_t own[TSR_MAX_ARGS], *at = malloc(n * sizeof(own));
  uint64_t *point = malloc(n * sizeof(*point));
  int n_dim = 0;
  bool good = (at && point) || tsr_run_fail(s);
  for (size_t i = 0; good && i < n; i++) {
    if (s->lanes)
      s->lanes->binding->value = s->lanes->value[i];
    good = tsr_run_arguments(s, user, own, &n_dim);
    point[i] = point_of(s);
    if (good)
      memcpy(at + n_run++ * n_dim, own, n_dim * sizeof(*own));
  }
  good = good && (n_run == 0 || run_together(s, user, at, n_dim, n_run, s->tile ? point : NULL));
  free(at);
  free(point);
  return good;
}

/* ---- lockstep ---- */

bool tsr_run_lockstep(struct tsr_run_state *s, isl_ast_node *node, const char *iterator)
{
  const struct tsr_mark *mark = s->mark;
  struct tsr_binding inner = {.name = iterator, .outer = s->scope};
  size_t n = 0, wanted = (size_t)mark->lockstep.vectors * mark->lockstep.lanes;
  int64_t *list = tsr_run_iterations(s, node, &inner, &n);
  struct tsr_lane_loop lanes = {&inner, list, n};
  bool good = list != NULL, all = n == wanted && depth_of(iterator) == mark->depth;
  for (size_t i = 0; good && all && i < n; i++)
    all = list[i] == (int64_t)i;
  good = good && (all || n == 0 || tsr_run_stop(s, "some of %zu lanes aren't there", wanted));
  if (good && n > 0) {
    isl_ast_node *body = isl_ast_node_for_get_body(node);
    s->lanes = &lanes;
    if (s->run->begin)
      s->run->begin(s->run->user, TSR_LOOP_LOCKSTEP, mark);
    good = tsr_run_iteration(s, body, &inner, 0, TSR_LOOP_LOCKSTEP);
    if (s->run->end)
      s->run->end(s->run->user, TSR_LOOP_LOCKSTEP);
    s->lanes = NULL;
    isl_ast_node_free(body);
  }
  free(list);
  return good;
}

/* ---- vectors ---- */

/* A loop that runs as vectors of LANES. */
struct vectors {
  isl_ast_node *user;
  int lanes, n_dim;
  const long *step;
  bool aligned; /* does each vector begin at a multiple of LANES? */
};

/* The instances of the N values LIST, from BASE on, of the iterator INNER: one vector. */
static bool run_vector(struct tsr_run_state *s, const struct vectors *v, struct tsr_binding *inner, int64_t base,
                       const int64_t *list, size_t n)
{
  int64_t first[TSR_MAX_ARGS], *at = malloc(n * sizeof(first));
  uint64_t *point = malloc(n * sizeof(*point));
  int n_dim = 0;
  bool good = (at && point) || tsr_run_fail(s);
  inner->value = base;
  good = good && tsr_run_arguments(s, v->user, first, &n_dim);
  good = good && (n_dim == v->n_dim || tsr_run_stop(s, "a vector's step has other dimensions than its statement"));
  for (size_t i = 0; good && i < n; i++) {
    inner->value = list[i];
    for (int d = 0; d < n_dim; d++)
      at[i * n_dim + d] = first[d] + (list[i] - base) * v->step[d];
    point[i] = point_of(s);
  }
  good = good && run_together(s, v->user, at, n_dim, n, s->tile ? point : NULL);
  free(at);
  free(point);
  return good;
}

/* All vectors of LOOP, with ITERATOR. */
static bool run_all_vectors(struct tsr_run_state *s, const struct vectors *v, isl_ast_node *loop, const char *iterator)
{
  struct tsr_binding inner = {.name = iterator, .outer = s->scope};
  size_t n = 0, i = 0;
  int64_t *list = tsr_run_iterations(s, loop, &inner, &n);
  bool good = list != NULL;
  s->scope = &inner;
  while (good && i < n) {
    int64_t base = list[i], over = v->aligned ? base % v->lanes : 0;
    base -= over < 0 ? over + v->lanes : over;
    size_t end = i + 1;
    while (end < n && list[end] - base < v->lanes)
      end++;
    good = run_vector(s, v, &inner, base, list + i, end - i);
    i = end;
  }
  s->scope = inner.outer;
  free(list);
  return good;
}

bool tsr_run_vectors(struct tsr_run_state *s, isl_ast_node *loop, const char *iterator, bool *good)
{
  struct vectors v = {.user = NULL};
  const struct tsr_edge_stmt *edge = NULL;
  if (s->lanes)
    return false;
  if (s->tile) {
    const struct tsr_register_tile *tile = &s->tile->tile;
    v = (struct vectors){isl_ast_node_for_get_body(loop), tile->lanes, tile->n_dim, tile->step, true};
    if (depth_of(iterator) != s->tile->depth + tile->n_reduction + 1 || isl_ast_node_get_type(v.user) != isl_ast_node_user)
      v.user = isl_ast_node_free(v.user);
  } else if (s->edges && tsr_edge_loop_read(loop, &s->edges->edges, &edge, &v.user)) {
    v = (struct vectors){v.user, edge->lanes, edge->n_dim, edge->step, false};
  }
  if (v.user)
    *good = run_all_vectors(s, &v, loop, iterator);
  bool is = v.user != NULL;
  isl_ast_node_free(v.user);
  return is;
}
