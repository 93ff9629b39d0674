/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the scheduler is given, as a graph. */
#include "sched/scheduler.h"
#include <stdlib.h>
#include <string.h>

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

struct tsr_graph *tsr_input_open(const struct tsr_sched_input *input)
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
    tsr_input_close(graph);
    return NULL;
  }
  return graph;
}

void tsr_input_close(struct tsr_graph *graph)
{
  for (int i = 0; i < graph->n_node; i++)
    tsr_node_free(graph->node[i]);
  tsr_graph_free(graph);
}

struct tsr_graph *tsr_input_open_for(const struct tsr_sched_input *input, const struct tsr_policy *policy)
{
  struct tsr_graph *graph = tsr_input_open(input);
  if (!graph)
    return NULL;
  if (((policy->locality || policy->register_limit) && tsr_reuse_find(graph, input->scop) < 0) ||
      (policy->read_reuse && tsr_reuse_add_read_edges(graph, input->scop) < 0)) {
    tsr_input_close(graph);
    return NULL;
  }
  return graph;
}
