/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Statements and dependences of the scheduler, and the components of their graph. */
#include "sched/scheduler.h"
#include <isl/local_space.h>
#include <isl/val.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- nodes ---- */

/* Append the iterator part of ROW to MAT. */
static isl_mat *add_iterators(isl_mat *mat, int at, const long *iterators, int n)
{
  for (int i = 0; i < n; i++)
    mat = isl_mat_set_element_si(mat, at, i, (int)iterators[i]);
  return mat;
}

/* rest = a basis of the directions that neither the equalities of the domain nor the rows fix. */
static isl_stat update_rest(struct tsr_node *node)
{
  isl_basic_set *hull = isl_basic_set_remove_divs(isl_set_affine_hull(isl_set_copy(node->domain))); /* but not i mod 2 */
  isl_mat *fixed = isl_basic_set_equalities_matrix(hull, isl_dim_set, isl_dim_param, isl_dim_cst, isl_dim_div);
  isl_basic_set_free(hull);
  isl_size n_fixed = isl_mat_rows(fixed);
  if (n_fixed < 0) {
    isl_mat_free(fixed);
    return isl_stat_error;
  }
  isl_size n_col = isl_mat_cols(fixed);
  fixed = isl_mat_drop_cols(fixed, node->n, n_col - node->n);
  isl_mat *known = isl_mat_alloc(isl_set_get_ctx(node->domain), node->n_row, node->n);
  for (int i = 0; i < node->n_row; i++)
    known = add_iterators(known, i, node->row + i * tsr_node_width(node) + 1 + node->n_param, node->n);
  known = isl_mat_concat(known, fixed);
  isl_mat_free(node->rest);
  node->rest = isl_mat_transpose(isl_mat_right_kernel(known));
  isl_size n_rest = isl_mat_rows(node->rest);
  node->n_rest = n_rest;
  return n_rest < 0 ? isl_stat_error : isl_stat_ok;
}

struct tsr_node *tsr_node_alloc(isl_set *domain, int order)
{
  struct tsr_node *node = calloc(1, sizeof(*node));
  const char *name = isl_set_get_tuple_name(domain);
  if (!node || !domain) {
    isl_set_free(domain);
    free(node);
    return NULL;
  }
  node->name = strdup(name ? name : "");
  node->n = isl_set_dim(domain, isl_dim_set);
  node->n_param = isl_set_dim(domain, isl_dim_param);
  node->order = order;
  node->domain = domain;
  return update_rest(node) < 0 ? tsr_node_free(node) : node;
}

struct tsr_node *tsr_node_free(struct tsr_node *node)
{
  if (!node)
    return NULL;
  isl_set_free(node->domain);
  isl_mat_free(node->rest);
  tsr_reuse_free(node->reuse, node->n_reuse);
  free(node->row);
  free(node->name);
  free(node);
  return NULL;
}

isl_stat tsr_node_add_row(struct tsr_node *node, const long *row)
{
  int width = tsr_node_width(node);
  for (int i = 0; i < width; i++)
    if (row[i] > INT_MAX || row[i] < -INT_MAX) /* isl's setters take int; combinations of bands multiply */
      isl_die(isl_set_get_ctx(node->domain), isl_error_unsupported, "a schedule row has too large coefficients",
              return isl_stat_error);
  long *grown = realloc(node->row, sizeof(long) * width * (node->n_row + 1));
  if (!grown)
    return isl_stat_error;
  node->row = grown;
  memcpy(node->row + node->n_row++ * width, row, sizeof(long) * width);
  return update_rest(node);
}

isl_stat tsr_node_truncate(struct tsr_node *node, int n_row)
{
  if (node->n_row <= n_row)
    return isl_stat_ok;
  node->n_row = n_row;
  return update_rest(node);
}

isl_multi_aff *tsr_node_function(struct tsr_node *node, int first, int n)
{
  isl_space *space = isl_set_get_space(node->domain);
  isl_local_space *local = isl_local_space_from_space(isl_space_copy(space));
  isl_space *to = isl_space_set_from_params(isl_space_params(isl_space_copy(space)));
  to = isl_space_add_dims(to, isl_dim_set, n);
  isl_multi_aff *function = isl_multi_aff_zero(isl_space_map_from_domain_and_range(space, to));
  for (int r = first; r < first + n; r++) {
    const long *row = node->row + r * tsr_node_width(node);
    isl_aff *aff = isl_aff_zero_on_domain(isl_local_space_copy(local));
    aff = isl_aff_set_constant_si(aff, (int)row[0]);
    for (int i = 0; i < node->n_param; i++)
      aff = isl_aff_set_coefficient_si(aff, isl_dim_param, i, (int)row[1 + i]);
    for (int i = 0; i < node->n; i++)
      aff = isl_aff_set_coefficient_si(aff, isl_dim_in, i, (int)row[1 + node->n_param + i]);
    function = isl_multi_aff_set_aff(function, r - first, aff);
  }
  isl_local_space_free(local);
  return function;
}

/* ---- graphs ---- */

struct tsr_graph *tsr_graph_alloc(isl_space *params, int max_node)
{
  struct tsr_graph *graph = calloc(1, sizeof(*graph));
  if (!graph)
    return NULL;
  graph->ctx = isl_space_get_ctx(params);
  graph->params = isl_space_copy(params);
  graph->n_param = isl_space_dim(params, isl_dim_param);
  graph->node = calloc(max_node + 1, sizeof(struct tsr_node *));
  return graph->node ? graph : tsr_graph_free(graph);
}

static void edge_free(struct tsr_edge *edge)
{
  isl_map_free(edge->map);
  tsr_cone_free(edge->cone);
  free(edge);
}

struct tsr_graph *tsr_graph_free(struct tsr_graph *graph)
{
  if (!graph)
    return NULL;
  for (int i = 0; i < graph->n_edge && !graph->is_view; i++)
    edge_free(graph->edge[i]);
  isl_space_free(graph->params);
  free(graph->edge);
  free(graph->node);
  free(graph);
  return NULL;
}

isl_stat tsr_graph_add_edge(struct tsr_graph *graph, struct tsr_node *src, struct tsr_node *dst, isl_map *map, unsigned kind,
                            int scalar)
{
  isl_bool empty = isl_map_is_empty(map);
  if (empty) {
    isl_map_free(map);
    return empty < 0 ? isl_stat_error : isl_stat_ok;
  }
  struct tsr_edge **grown = realloc(graph->edge, sizeof(*grown) * (graph->n_edge + 1));
  if (grown)
    graph->edge = grown;
  struct tsr_edge *edge = grown ? calloc(1, sizeof(*edge)) : NULL;
  if (!edge) {
    isl_map_free(map);
    return isl_stat_error;
  }
  *edge = (struct tsr_edge){.src = src, .dst = dst, .map = map, .kind = kind, .scalar = scalar};
  graph->edge[graph->n_edge++] = edge;
  return isl_stat_ok;
}

struct tsr_graph *tsr_graph_copy(struct tsr_graph *graph)
{
  struct tsr_graph *copy = tsr_graph_alloc(graph->params, graph->n_node);
  if (!copy)
    return NULL;
  copy->n_node = graph->n_node;
  memcpy(copy->node, graph->node, sizeof(*copy->node) * graph->n_node);
  copy->edge = calloc(graph->n_edge + 1, sizeof(*copy->edge));
  for (int i = 0; copy->edge && i < graph->n_edge; i++) {
    struct tsr_edge *edge = graph->edge[i], *twin = malloc(sizeof(*twin));
    if (!twin)
      return tsr_graph_free(copy);
    *twin = *edge;
    twin->map = isl_map_copy(edge->map);
    if (twin->cone)
      twin->cone->references++;
    copy->edge[copy->n_edge++] = twin;
  }
  return copy->edge ? copy : tsr_graph_free(copy);
}

struct tsr_graph *tsr_graph_view(struct tsr_graph *graph, int mark)
{
  struct tsr_graph *part = tsr_graph_alloc(graph->params, graph->n_node);
  if (!part)
    return NULL;
  part->is_view = true;
  part->edge = calloc(graph->n_edge + 1, sizeof(*part->edge));
  if (!part->edge)
    return tsr_graph_free(part);
  for (int i = 0; i < graph->n_node; i++)
    if (graph->node[i]->mark == mark)
      part->node[part->n_node++] = graph->node[i];
  for (int i = 0; i < graph->n_edge; i++)
    if (graph->edge[i]->src->mark == mark && graph->edge[i]->dst->mark == mark)
      part->edge[part->n_edge++] = graph->edge[i];
  return part;
}

struct tsr_graph *tsr_graph_split_off(struct tsr_graph *graph, int mark)
{
  struct tsr_graph *part = tsr_graph_view(graph, mark);
  if (!part)
    return NULL;
  part->is_view = false;
  int kept = 0;
  for (int i = 0; i < graph->n_edge; i++)
    if (graph->edge[i]->src->mark != mark || graph->edge[i]->dst->mark != mark)
      graph->edge[kept++] = graph->edge[i];
  graph->n_edge = kept;
  return part;
}

/* { s -> t : the rows from FIRST on are equal } */
static isl_map *same_time(struct tsr_edge *edge, int first)
{
  isl_map *src = isl_map_from_multi_aff(tsr_node_function(edge->src, first, edge->src->n_row - first));
  isl_map *dst = isl_map_from_multi_aff(tsr_node_function(edge->dst, first, edge->dst->n_row - first));
  return isl_map_apply_range(src, isl_map_reverse(dst));
}

/* Do the rows from FIRST on never tell the ends of EDGE apart? */
static bool is_never_carried(struct tsr_edge *edge, int first)
{
  for (int r = first; r < edge->src->n_row; r++)
    if (tsr_edge_may_be_positive(edge, r) || tsr_edge_may_be_negative(edge, r))
      return false;
  return true;
}

bool tsr_graph_carries(struct tsr_graph *graph, int first)
{
  for (int i = 0; i < graph->n_edge; i++)
    if (tsr_edge_prepare(graph->edge[i]) < 0 || !is_never_carried(graph->edge[i], first))
      return true;
  return false;
}

/* Accesses to SCALAR keep their order, whatever its live ranges do. */
static void fix_order(struct tsr_graph *graph, int scalar)
{
  for (int i = 0; i < graph->n_edge; i++) {
    struct tsr_edge *edge = graph->edge[i];
    if ((edge->kind & TSR_EDGE_CONDITIONAL) && edge->scalar == scalar)
      edge->kind = (edge->kind & ~TSR_EDGE_CONDITIONAL) | TSR_EDGE_VALIDITY;
  }
}

void tsr_graph_fix_crossing_ranges(struct tsr_graph *graph)
{
  for (int i = 0; i < graph->n_edge; i++) {
    struct tsr_edge *edge = graph->edge[i];
    if ((edge->kind & TSR_EDGE_CONDITION) && edge->src->mark != edge->dst->mark)
      fix_order(graph, edge->scalar);
  }
}

/* Live ranges that leave an iteration of the rows from FIRST on. */
static isl_stat fix_carried_ranges(struct tsr_graph *graph, int first)
{
  for (int i = 0; i < graph->n_edge; i++) {
    struct tsr_edge *edge = graph->edge[i];
    if (!(edge->kind & TSR_EDGE_CONDITION))
      continue;
    if (tsr_edge_prepare(edge) < 0)
      return isl_stat_error;
    if (!is_never_carried(edge, first))
      fix_order(graph, edge->scalar);
  }
  return isl_stat_ok;
}

isl_stat tsr_graph_drop_carried(struct tsr_graph *graph, int first)
{
  if (fix_carried_ranges(graph, first) < 0)
    return isl_stat_error;
  int kept = 0;
  isl_stat ok = isl_stat_ok;
  for (int i = 0; i < graph->n_edge; i++) {
    struct tsr_edge *edge = graph->edge[i];
    edge->kind &= ~TSR_EDGE_LOCAL;
    if (ok == isl_stat_ok && tsr_edge_prepare(edge) == isl_stat_ok && is_never_carried(edge, first)) {
      graph->edge[kept++] = edge;
      continue;
    }
    edge->map = isl_map_coalesce(isl_map_intersect(edge->map, same_time(edge, first)));
    edge->cone = tsr_cone_free(edge->cone);
    isl_bool empty = isl_map_is_empty(edge->map);
    ok = empty < 0 ? isl_stat_error : ok;
    if (empty == isl_bool_true)
      edge_free(edge);
    else
      graph->edge[kept++] = edge;
  }
  graph->n_edge = kept;
  return ok;
}

int tsr_graph_missing(struct tsr_graph *graph)
{
  int missing = 0;
  for (int i = 0; i < graph->n_node; i++)
    missing = graph->node[i]->n_rest > missing ? graph->node[i]->n_rest : missing;
  return missing;
}

/* ---- components ---- */

/* Tarjan's algorithm, over the edges that order instances; MARK holds the position in the graph meanwhile. */
struct tarjan {
  struct tsr_graph *graph;
  int *index, *low, *stack, *component;
  int n_index, n_stack, n_component;
};

static void close_component(struct tarjan *t, int v)
{
  int w;
  do {
    w = t->stack[--t->n_stack];
    t->component[w] = t->n_component;
  } while (w != v);
  t->n_component++;
}

static void visit(struct tarjan *t, int v)
{
  t->index[v] = t->low[v] = ++t->n_index;
  t->component[v] = -1;
  t->stack[t->n_stack++] = v;
  for (int i = 0; i < t->graph->n_edge; i++) {
    struct tsr_edge *edge = t->graph->edge[i];
    if (edge->src->mark != v || !tsr_edge_is_ordering(edge))
      continue;
    int w = edge->dst->mark;
    if (!t->index[w]) {
      visit(t, w);
      t->low[v] = t->low[w] < t->low[v] ? t->low[w] : t->low[v];
    } else if (t->component[w] < 0 && t->index[w] < t->low[v]) {
      t->low[v] = t->index[w];
    }
  }
  if (t->low[v] == t->index[v])
    close_component(t, v);
}

/* May group C run next: does no edge into it come from one without a number? */
static bool is_ready(struct tsr_graph *graph, int c, const int *number)
{
  for (int i = 0; i < graph->n_edge; i++) {
    struct tsr_edge *edge = graph->edge[i];
    int from = edge->src->mark;
    if (tsr_edge_is_ordering(edge) && edge->dst->mark == c && from != c && number[from] < 0)
      return false;
  }
  return true;
}

/* The group without a number that comes next; -1 if there is none. */
static int next_group(struct tsr_graph *graph, const int *number)
{
  int best = -1, best_order = 0;
  for (int v = 0; v < graph->n_node; v++) {
    int c = graph->node[v]->mark, order = graph->node[v]->order;
    if (number[c] < 0 && (best < 0 || order < best_order) && is_ready(graph, c, number)) {
      best = c;
      best_order = order;
    }
  }
  return best;
}

isl_stat tsr_graph_order_groups(struct tsr_graph *graph, int n_group)
{
  int *number = calloc(n_group + 1, sizeof(int));
  if (!number)
    return isl_stat_error;
  for (int c = 0; c < n_group; c++)
    number[c] = -1;
  int next = 0, best;
  while ((best = next_group(graph, number)) >= 0)
    number[best] = next++;
  for (int v = 0; v < graph->n_node; v++)
    graph->node[v]->mark = number[graph->node[v]->mark];
  free(number);
  if (next < n_group)
    isl_die(graph->ctx, isl_error_internal, "groups of statements depend on each other", return isl_stat_error);
  return isl_stat_ok;
}

isl_size tsr_graph_strong_components(struct tsr_graph *graph)
{
  int n = graph->n_node;
  int *memory = calloc(4 * n + 1, sizeof(int));
  if (!memory)
    return isl_size_error;
  struct tarjan t = {
      .graph = graph, .index = memory, .low = memory + n, .stack = memory + 2 * n, .component = memory + 3 * n};
  for (int v = 0; v < n; v++)
    graph->node[v]->mark = v;
  for (int v = 0; v < n; v++)
    if (!t.index[v])
      visit(&t, v);
  for (int v = 0; v < n; v++)
    graph->node[v]->mark = t.component[v];
  free(memory);
  return t.n_component;
}

static bool spread(struct tsr_graph *graph)
{
  bool changed = false;
  for (int i = 0; i < graph->n_edge; i++) {
    struct tsr_node *a = graph->edge[i]->src, *b = graph->edge[i]->dst;
    if (a->mark == b->mark)
      continue;
    a->mark = b->mark = a->mark < b->mark ? a->mark : b->mark;
    changed = true;
  }
  return changed;
}

isl_size tsr_graph_weak_components(struct tsr_graph *graph)
{
  for (int v = 0; v < graph->n_node; v++)
    graph->node[v]->mark = v;
  while (spread(graph))
    ;
  int n = 0;
  for (int v = 0; v < graph->n_node; v++) /* a component is named after its first node: v itself, or one before it */
    graph->node[v]->mark = graph->node[v]->mark == v ? n++ : graph->node[graph->node[v]->mark]->mark;
  return n;
}
