/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The scheduler's top: from dependences to a schedule tree.
 *
 *   schedule(G):  several weakly connected components  ->  a sequence of them
 *                 else clusters, each with a band (cluster.c)
 *                     ->  a sequence of  band - schedule(what the band has not carried)
 *
 * It ends: a band or a row of Feautrier's either gives a statement one more independent row, of which there are
 * finitely many, or carries an edge. */
#include "sched.h"
#include <stdlib.h>
#include <string.h>

/* ---- input ---- */

struct reader {
  const struct tsr_sched_input *input;
  struct tsr_graph *graph;
  unsigned kind;
  bool tagged;
};

static int find_node(struct tsr_graph *graph, const char *name)
{
  for (int i = 0; i < graph->n_node && name; i++)
    if (!strcmp(graph->node[i]->name, name))
      return i;
  return -1;
}

/* The array that access "S_k", the tag of statement S, goes to. */
static int tag_array(struct tsr_scop *scop, const char *stmt, const char *tag)
{
  int s = tsr_scop_find_stmt(scop, stmt);
  if (s < 0 || strlen(tag) < strlen(stmt) + 2)
    return -1;
  int k = atoi(tag + strlen(stmt) + 1);
  return k >= 0 && k < scop->stmts[s].n_access ? scop->stmts[s].access[k].array : -1;
}

/* Remove the tags of MAP { [S -> S_k[]] -> [T -> T_l[]] }; *SCALAR: the array that S_k goes to. */
static isl_map *untag(isl_map *map, struct tsr_scop *scop, int *scalar)
{
  isl_space *src = isl_space_unwrap(isl_space_domain(isl_map_get_space(map)));
  const char *stmt = isl_space_get_tuple_name(src, isl_dim_in), *tag = isl_space_get_tuple_name(src, isl_dim_out);
  *scalar = stmt && tag ? tag_array(scop, stmt, tag) : -1;
  isl_space_free(src);
  return isl_map_range_factor_domain(isl_map_domain_factor_domain(map));
}

/* Pairs of one statement pair: one more role of an edge that is there, or a new edge. */
static isl_stat read_map(isl_map *map, void *user)
{
  struct reader *reader = user;
  struct tsr_graph *graph = reader->graph;
  int scalar = -1;
  if (reader->tagged)
    map = untag(map, reader->input->scop, &scalar);
  map = isl_map_align_params(isl_map_coalesce(map), isl_space_copy(graph->params));
  int src = find_node(graph, isl_map_get_tuple_name(map, isl_dim_in));
  int dst = find_node(graph, isl_map_get_tuple_name(map, isl_dim_out));
  if (src < 0 || dst < 0) {
    isl_map_free(map);
    return isl_stat_error;
  }
  for (int i = 0; i < graph->n_edge && !reader->tagged; i++) {
    struct tsr_edge *edge = graph->edge[i];
    if (edge->src == graph->node[src] && edge->dst == graph->node[dst] && !(edge->kind & reader->kind) &&
        isl_map_plain_is_equal(edge->map, map) == isl_bool_true) {
      edge->kind |= reader->kind;
      isl_map_free(map);
      return isl_stat_ok;
    }
  }
  return tsr_graph_add_edge(graph, graph->node[src], graph->node[dst], map, reader->kind, scalar);
}

static isl_stat read_maps(struct reader *reader, isl_union_map *maps, unsigned kind, bool tagged)
{
  reader->kind = kind;
  reader->tagged = tagged;
  return isl_union_map_foreach_map(maps, &read_map, reader);
}

static isl_stat read_node(isl_set *set, void *user)
{
  struct reader *reader = user;
  const char *name = isl_set_get_tuple_name(set);
  int order = name ? tsr_scop_find_stmt(reader->input->scop, name) : 0;
  set = isl_set_align_params(set, isl_space_copy(reader->graph->params));
  struct tsr_node *node = tsr_node_alloc(set, order);
  if (!node)
    return isl_stat_error;
  int at = reader->graph->n_node++;
  for (; at > 0 && reader->graph->node[at - 1]->order > order; at--)
    reader->graph->node[at] = reader->graph->node[at - 1];
  reader->graph->node[at] = node;
  return isl_stat_ok;
}

static struct tsr_graph *read_input(const struct tsr_sched_input *input)
{
  isl_space *params = isl_union_set_get_space(input->domain);
  params = isl_space_align_params(params, isl_union_map_get_space(input->validity));
  params = isl_space_align_params(params, isl_union_map_get_space(input->coincidence));
  params = isl_space_align_params(params, isl_union_map_get_space(input->proximity));
  params = isl_space_align_params(params, isl_union_map_get_space(input->cond));
  params = isl_space_align_params(params, isl_union_map_get_space(input->cond_validity));
  isl_size n = isl_union_set_n_set(input->domain);
  struct tsr_graph *graph = params && n >= 0 ? tsr_graph_alloc(params, n) : NULL;
  isl_space_free(params);
  if (!graph)
    return NULL;
  struct reader reader = {.input = input, .graph = graph};
  if (isl_union_set_foreach_set(input->domain, &read_node, &reader) < 0 ||
      read_maps(&reader, input->validity, TSR_EDGE_VALIDITY, false) < 0 ||
      read_maps(&reader, input->coincidence, TSR_EDGE_COINCIDENCE, false) < 0 ||
      read_maps(&reader, input->proximity, TSR_EDGE_PROXIMITY, false) < 0 ||
      read_maps(&reader, input->cond, TSR_EDGE_CONDITION, true) < 0 ||
      read_maps(&reader, input->cond_validity, TSR_EDGE_CONDITIONAL, true) < 0) {
    for (int i = 0; i < graph->n_node; i++)
      tsr_node_free(graph->node[i]);
    return tsr_graph_free(graph);
  }
  return graph;
}

/* ---- output ---- */

/* The domains of the nodes of GRAPH with mark MARK. */
static isl_union_set *group_filter(struct tsr_graph *graph, int mark)
{
  isl_union_set *filter = isl_union_set_empty(isl_space_copy(graph->params));
  for (int i = 0; i < graph->n_node; i++)
    if (graph->node[i]->mark == mark)
      filter = isl_union_set_add_set(filter, isl_set_universe(isl_set_get_space(graph->node[i]->domain)));
  return filter;
}

/* A sequence of the N groups of GRAPH at the leaf NODE. */
static isl_schedule_node *insert_sequence(isl_schedule_node *node, struct tsr_graph *graph, int n)
{
  isl_union_set_list *filters = isl_union_set_list_alloc(graph->ctx, n);
  for (int g = 0; g < n; g++)
    filters = isl_union_set_list_add(filters, group_filter(graph, g));
  return isl_schedule_node_insert_sequence(node, filters);
}

/* BAND at the leaf NODE; the result stands at the leaf below. */
static isl_schedule_node *insert_band(isl_schedule_node *node, struct tsr_graph *graph, const struct tsr_band *band)
{
  isl_union_pw_multi_aff *rows = isl_union_pw_multi_aff_empty(isl_space_copy(graph->params));
  for (int i = 0; i < graph->n_node; i++)
    rows = isl_union_pw_multi_aff_add_pw_multi_aff(
        rows, isl_pw_multi_aff_from_multi_aff(tsr_node_function(graph->node[i], band->first)));
  node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_multi_aff(rows));
  node = isl_schedule_node_band_set_permutable(node, 1);
  for (int i = 0; i < band->n; i++)
    node = isl_schedule_node_band_member_set_coincident(node, i, band->coincident[i]);
  return isl_schedule_node_child(node, 0);
}

/* ---- in between ---- */

struct scheduler {
  const struct tsr_policy *policy;
};

static isl_schedule_node *schedule_graph(isl_schedule_node *node, struct tsr_graph *graph, struct scheduler *scheduler);

/* Call FN for each of N groups, at the leaf of its child of a sequence; at NODE itself if there is but one. */
static isl_schedule_node *
foreach_group(isl_schedule_node *node, struct tsr_graph *graph, int n,
              isl_schedule_node *(*fn)(isl_schedule_node *node, struct tsr_graph *part, int group, void *user), void *user)
{
  if (n > 1)
    node = insert_sequence(node, graph, n);
  int *mark = calloc(graph->n_node + 1, sizeof(int)); /* FN marks nodes, too */
  if (!mark)
    return isl_schedule_node_free(node);
  for (int i = 0; i < graph->n_node; i++)
    mark[i] = graph->node[i]->mark;
  for (int g = 0; g < n && node; g++) {
    for (int i = 0; i < graph->n_node; i++)
      graph->node[i]->mark = mark[i];
    struct tsr_graph *part = tsr_graph_split_off(graph, g);
    int depth = isl_schedule_node_get_tree_depth(node);
    if (n > 1)
      node = isl_schedule_node_grandchild(node, g, 0);
    node = part ? fn(node, part, g, user) : isl_schedule_node_free(node);
    tsr_graph_free(part);
    if (node)
      node = isl_schedule_node_ancestor(node, isl_schedule_node_get_tree_depth(node) - depth);
  }
  free(mark);
  return node;
}

static isl_schedule_node *schedule_component(isl_schedule_node *node, struct tsr_graph *part, int group, void *user)
{
  (void)group;
  return schedule_graph(node, part, user);
}

struct banding {
  struct scheduler *scheduler;
  struct tsr_band *band;
};

static isl_schedule_node *schedule_cluster(isl_schedule_node *node, struct tsr_graph *part, int group, void *user)
{
  struct banding *banding = user;
  struct tsr_band *band = &banding->band[group];
  if (band->n == 0) {
    if (part->n_node > 1)
      isl_die(part->ctx, isl_error_internal, "no row tells statements apart that depend on each other",
              return isl_schedule_node_free(node));
    return node;
  }
  node = insert_band(node, part, band);
  if (tsr_graph_drop_carried(part, band->first) < 0)
    return isl_schedule_node_free(node);
  return schedule_graph(node, part, banding->scheduler);
}

static isl_schedule_node *schedule_graph(isl_schedule_node *node, struct tsr_graph *graph, struct scheduler *scheduler)
{
  isl_size n = tsr_graph_weak_components(graph);
  if (n < 0)
    return isl_schedule_node_free(node);
  if (n > 1)
    return foreach_group(node, graph, n, &schedule_component, scheduler);
  struct banding banding = {.scheduler = scheduler};
  int n_band = 0;
  if (tsr_cluster(graph, scheduler->policy, &banding.band, &n_band) < 0)
    node = isl_schedule_node_free(node);
  if (node)
    node = foreach_group(node, graph, n_band, &schedule_cluster, &banding);
  free(banding.band);
  return node;
}

isl_schedule *tsr_sched_compute(const struct tsr_sched_input *input, const struct tsr_policy *policy)
{
  struct tsr_graph *graph = read_input(input);
  if (!graph)
    return NULL;
  struct scheduler scheduler = {.policy = policy};
  struct tsr_node **node = graph->node;
  int n_node = graph->n_node;
  isl_schedule_node *root = isl_schedule_node_from_domain(isl_union_set_copy(input->domain));
  root = schedule_graph(isl_schedule_node_child(root, 0), graph, &scheduler);
  isl_schedule *schedule = root ? isl_schedule_node_get_schedule(root) : NULL;
  isl_schedule_node_free(root);
  for (int i = 0; i < n_node; i++)
    tsr_node_free(node[i]);
  tsr_graph_free(graph);
  return schedule;
}
