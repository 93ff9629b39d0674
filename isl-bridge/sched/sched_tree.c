/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The scheduler's top: from dependences to a schedule tree.
 *
 *   schedule(G):  several weakly connected components  ->  a sequence of them
 *                 else clusters, each with a band (cluster.c)
 *                     ->  a sequence of  band - schedule(what the band has not carried)
 *
 * It ends: a band or a row of Feautrier's either gives a statement one more independent row, of which there are
 * finitely many, or carries an edge. */
#include "sched/scheduler.h"
#include <stdlib.h>
#include <string.h>

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

isl_schedule_node *tsr_tree_insert_sequence(isl_schedule_node *node, struct tsr_graph *graph, int n)
{
  isl_union_set_list *filters = isl_union_set_list_alloc(graph->ctx, n);
  for (int g = 0; g < n; g++)
    filters = isl_union_set_list_add(filters, group_filter(graph, g));
  return isl_schedule_node_insert_sequence(node, filters);
}

isl_schedule_node *tsr_tree_insert_band(isl_schedule_node *node, struct tsr_graph *graph, int first, int n,
                                        const bool *coincident)
{
  isl_union_pw_multi_aff *rows = isl_union_pw_multi_aff_empty(isl_space_copy(graph->params));
  for (int i = 0; i < graph->n_node; i++)
    rows = isl_union_pw_multi_aff_add_pw_multi_aff(
        rows, isl_pw_multi_aff_from_multi_aff(tsr_node_function(graph->node[i], first, n)));
  node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_multi_aff(rows));
  node = isl_schedule_node_band_set_permutable(node, 1);
  for (int i = 0; i < n; i++)
    node = isl_schedule_node_band_member_set_coincident(node, i, coincident[i]);
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
    node = tsr_tree_insert_sequence(node, graph, n);
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
  if (banding->scheduler->policy->concurrent)
    node = tsr_diamond_insert(node, part, band);
  node = tsr_tree_insert_band(node, part, band->first, band->n, band->coincident);
  if (tsr_graph_drop_carried(part, band->first) < 0)
    return isl_schedule_node_free(node);
  return schedule_graph(node, part, banding->scheduler);
}

/* Give the nodes of two components, of N by their marks, one mark if a user's group wants them together. */
static isl_size join_groups(struct tsr_graph *graph, const struct tsr_policy *policy, isl_size n)
{
  int row = graph->n_node ? graph->node[0]->n_row : 0;
  const struct tsr_rule *rule = tsr_fusion_rule(policy, row, tsr_graph_missing(graph));
  for (int i = 0; i < graph->n_node && rule->group; i++)
    for (int j = i + 1; j < graph->n_node; j++) {
      int keep = graph->node[i]->mark, gone = graph->node[j]->mark, group = rule->group[graph->node[i]->order];
      if (keep == gone || group < 0 || rule->group[graph->node[j]->order] != group)
        continue;
      n--;
      for (int k = 0; k < graph->n_node; k++) { /* the last mark takes the place of the one that is gone */
        int mark = graph->node[k]->mark;
        mark = mark == gone ? keep : mark;
        graph->node[k]->mark = mark == n ? gone : mark;
      }
      keep = keep == n ? gone : keep;
    }
  return n;
}

static isl_schedule_node *schedule_graph(isl_schedule_node *node, struct tsr_graph *graph, struct scheduler *scheduler)
{
  isl_size n = tsr_graph_weak_components(graph);
  if (n > 1)
    n = join_groups(graph, scheduler->policy, n);
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
  struct tsr_graph *graph = tsr_input_open_for(input, policy);
  if (!graph)
    return NULL;
  struct scheduler scheduler = {.policy = policy};
  struct tsr_graph *all = tsr_graph_copy(graph); /* scheduling takes it apart */
  isl_schedule_node *root = isl_schedule_node_from_domain(isl_union_set_copy(input->domain));
  root = isl_schedule_node_child(root, 0);
  root = all ? schedule_graph(root, all, &scheduler) : isl_schedule_node_free(root);
  isl_schedule *schedule = root ? isl_schedule_node_get_schedule(root) : NULL;
  isl_schedule_node_free(root);
  tsr_graph_free(all);
  tsr_input_close(graph);
  return schedule;
}
