/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instances that run at once, in a run of an AST.
 *
 *   lockstep    mark - for l = 0 .. n - 1 - X      X runs once, each user node for all l. Bounds and conditions are the same
 *                                                  for all of them, or the run stops
 *   registers   mark - .. - for v - S(.., v)       vectors of values of v from multiples of the lanes on; the instance in
 *                                                  lane l is that at the first value, moved l steps of the mark
 *   edges       mark - .. - for v - S(.., v)       the same, from the first v on
 *   doacross    mark - for p - for q               rows p and columns q, column by column
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
  int n_dim = 0;
  bool good = at || tsr_run_fail(s);
  for (size_t i = 0; good && i < n; i++) {
    if (s->lanes)
      s->lanes->binding->value = s->lanes->value[i];
    good = tsr_run_arguments(s, user, own, &n_dim);
    if (good)
      memcpy(at + n_run++ * n_dim, own, n_dim * sizeof(*own));
  }
  uint64_t point = point_of(s);
  good = good && (n_run == 0 || run_together(s, user, at, n_dim, n_run, s->tile ? &point : NULL));
  free(at);
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

/* ---- doacross ---- */

/* What one iteration of a doacross loop runs. */
struct row {
  int64_t *column; /* NULL: nothing */
  size_t n, next;
  isl_ast_node *body;
  struct tsr_binding outer, inner;
  isl_id *id;
};

/* List what ROW, whose outer iterator is bound, runs of the loop in NODE. */
static bool list_row(struct tsr_run_state *s, isl_ast_node *node, struct row *row)
{
  int64_t holds = 1;
  bool good = true;
  node = isl_ast_node_copy(node);
  while (good && holds && isl_ast_node_get_type(node) == isl_ast_node_if) {
    isl_ast_node *then = isl_ast_node_if_get_then_node(node);
    good = tsr_run_value(s, isl_ast_node_if_get_cond(node), &holds);
    isl_ast_node_free(node);
    node = then;
  }
  if (good && holds) {
    isl_ast_expr *iterator = isl_ast_node_for_get_iterator(node);
    row->id = isl_ast_expr_get_id(iterator);
    isl_ast_expr_free(iterator);
    row->inner = (struct tsr_binding){.name = isl_id_get_name(row->id), .outer = &row->outer};
    row->body = isl_ast_node_for_get_body(node);
    row->column = row->inner.name ? tsr_run_iterations(s, node, &row->inner, &row->n) : NULL;
    good = row->column != NULL;
  }
  isl_ast_node_free(node);
  return good;
}

/* Iteration COLUMN of ROW; PANEL (NULL: none): of which the outer loop runs over panels. */
static bool run_step(struct tsr_run_state *s, struct row *row, int64_t column, const struct tsr_mark *panel)
{
  bool good = !panel || !s->run->panel || s->run->panel(s->run->user, panel, row->outer.value, true);
  good = good && tsr_run_iteration(s, row->body, &row->inner, column, TSR_LOOP_DOACROSS);
  return good && (!panel || !s->run->panel || s->run->panel(s->run->user, panel, row->outer.value, false));
}

/* Column by column, rows in their order. */
static bool run_columns(struct tsr_run_state *s, struct row *rows, size_t n)
{
  const struct tsr_mark *panel = s->panel;
  s->panel = NULL;
  if (s->run->begin)
    s->run->begin(s->run->user, TSR_LOOP_DOACROSS, s->mark);
  bool good = true;
  for (bool more = true; more && good;) {
    int64_t column = INT64_MAX;
    more = false;
    for (size_t i = 0; i < n; i++)
      if (rows[i].next < rows[i].n && rows[i].column[rows[i].next] <= column) {
        column = rows[i].column[rows[i].next];
        more = true;
      }
    for (size_t i = 0; i < n && good; i++)
      if (rows[i].next < rows[i].n && rows[i].column[rows[i].next] == column) {
        rows[i].next++;
        good = run_step(s, &rows[i], column, panel);
      }
  }
  if (s->run->end)
    s->run->end(s->run->user, TSR_LOOP_DOACROSS);
  s->panel = panel;
  return good;
}

/* requires: NODE is as tsr_ast_build leaves it, a loop around conditions around a loop. */
bool tsr_run_doacross(struct tsr_run_state *s, isl_ast_node *node)
{
  isl_ast_expr *iterator = isl_ast_node_for_get_iterator(node);
  isl_id *id = isl_ast_expr_get_id(iterator);
  struct tsr_binding outer = {.name = isl_id_get_name(id), .outer = s->scope};
  size_t n = 0;
  int64_t *list = outer.name ? tsr_run_iterations(s, node, &outer, &n) : NULL;
  isl_ast_node *body = isl_ast_node_for_get_body(node);
  struct row *rows = calloc(n + 1, sizeof(*rows));
  bool good = list && rows;
  for (size_t i = 0; good && i < n; i++) {
    rows[i].outer = outer;
    rows[i].outer.value = list[i];
    s->scope = &rows[i].outer;
    good = list_row(s, body, &rows[i]);
    s->scope = outer.outer;
  }
  good = good && run_columns(s, rows, n);
  s->scope = outer.outer;
  for (size_t i = 0; rows && i < n; i++) {
    free(rows[i].column);
    isl_ast_node_free(rows[i].body);
    isl_id_free(rows[i].id);
  }
  free(rows);
  free(list);
  isl_ast_node_free(body);
  isl_id_free(id);
  isl_ast_expr_free(iterator);
  return good || ((!outer.name || !rows) && tsr_run_fail(s));
}
