/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Clustering (zinenko-cc18, section 3.5). Every strongly connected component gets a band of its own; then pairs of
 * clusters that share data are fused, if a band of both together exists and pays:
 *
 *     { A: band (i, j) }  --proximity-->  { B: band (k, l) }        a new problem with one node a cluster, whose
 *                                                                    "iterators" are the members of its band
 *
 * Whatever lies on a path of dependences between the two joins them. The members of a cluster's band keep the dependences
 * inside, so any combination of them with non-negative coefficients does, too: only the edges between clusters are in the
 * problem. The problems stay small, however long the chain. */
#include "sched/scheduler.h"
#include <stdlib.h>
#include <string.h>

struct clusters {
  struct tsr_graph *graph; /* a node's mark is its cluster */
  const struct tsr_policy *policy;
  const struct tsr_rule *rule; /* which says what is fused */
  int n;
  struct tsr_band *band;  /* by cluster */
  bool *closed;           /* no band that another cluster could share: Feautrier's row, or none at all */
  bool *failed;           /* n by n: these two can't be fused */
  bool *member;           /* of the fusion at hand */
  struct tsr_node **node; /* their nodes in the problem of the fusion at hand */
  struct tsr_node **stmt; /* the nodes of the graph, sorted by cluster, for those */
};

/* ---- a band for each component ---- */

/* A row of Feautrier's as a band of its own; else rows of the ordinary kind, even if the strategy wants none. */
static isl_stat carry(struct clusters *clusters, struct tsr_graph *part, struct tsr_band *band)
{
  isl_bool carried = tsr_feautrier_row(part);
  band->n = 1;
  band->coincident[0] = false;
  if (carried == isl_bool_false) {
    struct tsr_policy policy = *clusters->policy;
    policy.no_carry = true;
    if (tsr_band_compute(part, &policy, band) < 0)
      return isl_stat_error;
    if (band->n == 0)
      isl_die(part->ctx, isl_error_unsupported, "no schedule row keeps all dependences", return isl_stat_error);
  }
  return carried < 0 ? isl_stat_error : isl_stat_ok;
}

static isl_stat schedule_component(struct clusters *clusters, int c)
{
  struct tsr_band *band = &clusters->band[c];
  struct tsr_graph *part = tsr_graph_view(clusters->graph, c);
  if (!part)
    return isl_stat_error;
  isl_stat ok = tsr_band_compute(part, clusters->policy, band);
  clusters->closed[c] = band->n == 0;
  if (ok == isl_stat_ok && band->n == 0 && (tsr_graph_missing(part) > 0 || part->n_node > 1))
    ok = carry(clusters, part, band);
  tsr_graph_free(part);
  return ok;
}

/* ---- fusion ---- */

/* Can TO be reached from FROM? */
static void reach(struct clusters *clusters, int from, bool *reached)
{
  reached[from] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < clusters->graph->n_edge; i++) {
      struct tsr_edge *edge = clusters->graph->edge[i];
      if (tsr_edge_is_ordering(edge) && reached[edge->src->mark] && !reached[edge->dst->mark])
        changed = reached[edge->dst->mark] = true;
    }
  }
}

/* member = A, B and all between. */
static isl_stat select_members(struct clusters *clusters, int a, int b)
{
  int n = clusters->n;
  bool *after_a = calloc(2 * n + 1, sizeof(bool)), *to_b = after_a + n;
  if (!after_a)
    return isl_stat_error;
  reach(clusters, a, after_a);
  to_b[b] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < clusters->graph->n_edge; i++) {
      struct tsr_edge *edge = clusters->graph->edge[i];
      if (tsr_edge_is_ordering(edge) && to_b[edge->dst->mark] && !to_b[edge->src->mark])
        changed = to_b[edge->src->mark] = true;
    }
  }
  for (int c = 0; c < n; c++)
    clusters->member[c] = c == a || c == b || (after_a[c] && to_b[c]);
  free(after_a);
  return isl_stat_ok;
}

static void node_name(char name[32], int cluster)
{
  snprintf(name, 32, "C%d", cluster);
}

/* A node for cluster C, whose iterators are the members of its band. */
static struct tsr_node *cluster_node(struct clusters *clusters, int c, int *n_stmt)
{
  char name[32];
  node_name(name, c);
  struct tsr_band *band = &clusters->band[c];
  isl_space *space = isl_space_set_from_params(isl_space_copy(clusters->graph->params));
  space = isl_space_set_tuple_name(isl_space_add_dims(space, isl_dim_set, band->n), isl_dim_set, name);
  struct tsr_node *node = tsr_node_alloc(isl_set_universe(space), c);
  for (int i = 0; node && i < band->n; i++)
    node->serial |= band->coincident[i] || i >= 32 ? 0 : 1u << i;
  if (!node)
    return NULL;
  node->first = band->first;
  node->member = clusters->stmt + *n_stmt;
  for (int i = 0; i < clusters->graph->n_node; i++)
    if (clusters->graph->node[i]->mark == c)
      node->member[node->n_member++] = clusters->graph->node[i];
  *n_stmt += node->n_member;
  return node;
}

/* The band of NODE's cluster as { S[i] -> C[t] }. */
static isl_map *band_map(struct tsr_node *node, int first)
{
  char name[32];
  node_name(name, node->mark);
  return isl_map_set_tuple_name(isl_map_from_multi_aff(tsr_node_function(node, first, node->n_row - first)), isl_dim_out,
                                name);
}

/* Do all live ranges of SCALAR stay within one iteration of their cluster's band? */
static bool scalar_is_local(struct clusters *clusters, int scalar)
{
  for (int i = 0; i < clusters->graph->n_edge; i++) {
    struct tsr_edge *edge = clusters->graph->edge[i];
    int c = edge->src->mark;
    if (!(edge->kind & TSR_EDGE_CONDITION) || edge->scalar != scalar || !clusters->member[c] ||
        !clusters->member[edge->dst->mark])
      continue;
    if (edge->dst->mark != c || tsr_edge_prepare(edge) < 0)
      return false;
    for (int r = clusters->band[c].first; r < edge->src->n_row; r++)
      if (tsr_edge_may_be_negative(edge, r) || tsr_edge_may_be_positive(edge, r))
        return false;
  }
  return true;
}

/* What EDGE asks of the fusion; 0: nothing. */
static unsigned fused_kind(struct clusters *clusters, struct tsr_edge *edge)
{
  unsigned kind = edge->kind & (TSR_EDGE_VALIDITY | TSR_EDGE_COINCIDENCE | TSR_EDGE_PROXIMITY);
  if ((edge->kind & TSR_EDGE_CONDITIONAL) && !scalar_is_local(clusters, edge->scalar))
    kind |= TSR_EDGE_VALIDITY;
  return kind;
}

/* Add EDGE between clusters to MERGED, with others of its kind if there are any. */
static isl_stat add_fused_edge(struct clusters *clusters, struct tsr_graph *merged, struct tsr_edge *edge)
{
  unsigned kind = fused_kind(clusters, edge);
  struct tsr_node *src = clusters->node[edge->src->mark], *dst = clusters->node[edge->dst->mark];
  int first = clusters->band[edge->src->mark].first;
  if (!kind)
    return isl_stat_ok;
  isl_map *map = isl_map_apply_domain(isl_map_copy(edge->map), band_map(edge->src, first));
  map = isl_map_apply_range(map, band_map(edge->dst, first));
  for (int i = 0; i < merged->n_edge; i++) {
    struct tsr_edge *other = merged->edge[i];
    if (other->src == src && other->dst == dst && other->kind == kind) {
      other->map = isl_map_coalesce(isl_map_union(other->map, map));
      return isl_stat_ok;
    }
  }
  return tsr_graph_add_edge(merged, src, dst, map, kind, -1);
}

/* The problem of fusing all members. */
static struct tsr_graph *merged_graph(struct clusters *clusters)
{
  int n_stmt = 0;
  struct tsr_graph *merged = tsr_graph_alloc(clusters->graph->params, clusters->n);
  for (int c = 0; c < clusters->n && merged; c++) {
    clusters->node[c] = clusters->member[c] ? cluster_node(clusters, c, &n_stmt) : NULL;
    if (clusters->node[c]) {
      merged->n_outer = clusters->band[c].first;
      merged->node[merged->n_node++] = clusters->node[c];
    }
  }
  for (int i = 0; i < clusters->graph->n_edge && merged; i++) {
    struct tsr_edge *edge = clusters->graph->edge[i];
    int a = edge->src->mark, b = edge->dst->mark;
    if (a != b && clusters->member[a] && clusters->member[b] && add_fused_edge(clusters, merged, edge) < 0)
      merged = tsr_graph_free(merged);
  }
  return merged;
}

/* The coincident rows of BAND that somebody would miss. */
static int count_coincident(struct clusters *clusters, const struct tsr_band *band)
{
  int n = 0;
  for (int i = 0; i < band->n && clusters->rule->coincidence != TSR_COINCIDENCE_IGNORE; i++)
    n += band->coincident[i];
  return n > 1 && clusters->rule->coincidence == TSR_COINCIDENCE_ONE ? 1 : n;
}

/* Is each row of NODE a loop of its own for the statements behind it? Where a row is constant there, the fused loop has to
 * ask in each iteration if it is theirs; where it repeats earlier ones, it runs once, with bounds to compute. */
static bool moves_in_all_rows(struct tsr_node *node)
{
  return node->n - node->n_rest >= node->n_row;
}

/* Is BAND of all members together worth having? Nobody may lose a loop of its band or a coincident one. */
static bool pays(struct clusters *clusters, struct tsr_graph *merged, const struct tsr_band *band)
{
  if (band->n == 0)
    return false;
  if (clusters->rule->fusion == TSR_FUSION_MAX)
    return true;
  int n_coincident = count_coincident(clusters, band);
  for (int c = 0; c < clusters->n; c++)
    if (clusters->member[c] &&
        (clusters->band[c].n > band->n || count_coincident(clusters, &clusters->band[c]) > n_coincident))
      return false;
  for (int i = 0; i < merged->n_node; i++)
    if (!moves_in_all_rows(merged->node[i]))
      return false;
  return tsr_graph_has_short_edge(merged, 0);
}

/* Replace the band rows of NODE by the combinations of them that FUSED, its cluster's node, has found. */
static isl_stat compose(struct tsr_node *node, struct tsr_node *fused, int first)
{
  int width = tsr_node_width(node), n_old = node->n_row - first;
  long *old = calloc((size_t)n_old * width + width + 1, sizeof(long)), *row = old + n_old * width;
  if (!old)
    return isl_stat_error;
  memcpy(old, node->row + first * width, sizeof(long) * n_old * width);
  isl_stat ok = tsr_node_truncate(node, first);
  for (int r = 0; r < fused->n_row && ok == isl_stat_ok; r++) {
    const long *how = fused->row + r * tsr_node_width(fused);
    memset(row, 0, sizeof(long) * width);
    memcpy(row, how, sizeof(long) * (1 + node->n_param));
    for (int i = 0; i < n_old; i++)
      for (int k = 0; k < width; k++)
        row[k] += how[1 + node->n_param + i] * old[i * width + k];
    ok = tsr_node_add_row(node, row);
  }
  free(old);
  return ok;
}

/* All members become cluster A with BAND. */
static isl_stat fuse(struct clusters *clusters, int a, const struct tsr_band *band)
{
  struct tsr_graph *graph = clusters->graph;
  int first = clusters->band[a].first;
  for (int i = 0; i < graph->n_node; i++) {
    struct tsr_node *node = graph->node[i];
    if (clusters->member[node->mark] && compose(node, clusters->node[node->mark], first) < 0)
      return isl_stat_error;
  }
  for (int i = 0; i < graph->n_node; i++)
    if (clusters->member[graph->node[i]->mark])
      graph->node[i]->mark = a;
  clusters->band[a].n = band->n;
  memcpy(clusters->band[a].coincident, band->coincident, sizeof(bool) * band->n);
  for (int c = 0; c < clusters->n; c++)
    clusters->failed[a * clusters->n + c] = clusters->failed[c * clusters->n + a] = false;
  return isl_stat_ok;
}

static bool members_are_open(struct clusters *clusters)
{
  for (int c = 0; c < clusters->n; c++)
    if (clusters->member[c] && clusters->closed[c])
      return false;
  return true;
}

/* Have all members bands of one depth, so that each could move in all rows of a common one? */
static bool members_are_even(struct clusters *clusters)
{
  int depth = -1;
  for (int c = 0; c < clusters->n; c++) {
    if (!clusters->member[c])
      continue;
    if (depth >= 0 && clusters->band[c].n != depth)
      return false;
    depth = clusters->band[c].n;
  }
  return true;
}

/* Are all statements of the members in one group of the user's? */
static bool members_are_grouped(struct clusters *clusters)
{
  int group = -1;
  const int *groups = clusters->rule->group;
  for (int i = 0; i < clusters->graph->n_node && groups; i++) {
    struct tsr_node *node = clusters->graph->node[i];
    if (!clusters->member[node->mark])
      continue;
    if (groups[node->order] < 0 || (group >= 0 && groups[node->order] != group))
      return false;
    group = groups[node->order];
  }
  return true;
}

/* What BAND of all members must have. */
static void demand(struct clusters *clusters, struct tsr_band *band)
{
  band->short_edge = true;
  for (int c = 0; c < clusters->n; c++) {
    int n = clusters->member[c] ? count_coincident(clusters, &clusters->band[c]) : 0;
    band->least_coincident = n > band->least_coincident ? n : band->least_coincident;
  }
}

/* Fuse the clusters A and B if they can be and it pays. */
static isl_stat try_to_fuse(struct clusters *clusters, int a, int b)
{
  bool coincident[TSR_MAX_DIM];
  struct tsr_band band = {.coincident = coincident};
  struct tsr_policy policy = *clusters->policy;
  policy.non_negative = true;
  clusters->failed[a * clusters->n + b] = true;
  if (select_members(clusters, a, b) < 0)
    return isl_stat_error;
  if (!members_are_open(clusters) || !members_are_grouped(clusters) ||
      (clusters->rule->fusion != TSR_FUSION_MAX && !members_are_even(clusters)))
    return isl_stat_ok;
  if (clusters->rule->fusion != TSR_FUSION_MAX)
    demand(clusters, &band);
  struct tsr_graph *merged = merged_graph(clusters);
  isl_stat ok = merged ? tsr_band_compute(merged, &policy, &band) : isl_stat_error;
  if (ok == isl_stat_ok && pays(clusters, merged, &band))
    ok = fuse(clusters, a, &band);
  for (int c = 0; c < clusters->n; c++)
    clusters->node[c] = tsr_node_free(clusters->node[c]);
  tsr_graph_free(merged);
  return ok;
}

/* ---- all of it ---- */

/* Along the edges; and, in a user's groups, without. */
static isl_stat fuse_all(struct clusters *clusters)
{
  struct tsr_graph *graph = clusters->graph;
  if (clusters->rule->fusion == TSR_FUSION_MIN)
    return isl_stat_ok;
  for (int i = 0; i < graph->n_edge; i++) {
    struct tsr_edge *edge = graph->edge[i];
    int a = edge->src->mark, b = edge->dst->mark;
    if (a != b && (edge->kind & TSR_EDGE_PROXIMITY) && !clusters->failed[a * clusters->n + b] &&
        try_to_fuse(clusters, a, b) < 0)
      return isl_stat_error;
  }
  for (int i = 0; i < graph->n_node && clusters->rule->group; i++)
    for (int j = 0; j < graph->n_node; j++) {
      int a = graph->node[i]->mark, b = graph->node[j]->mark;
      if (a != b && !clusters->failed[a * clusters->n + b] && try_to_fuse(clusters, a, b) < 0)
        return isl_stat_error;
    }
  return isl_stat_ok;
}

static isl_stat schedule_components(struct clusters *clusters)
{
  for (int c = 0; c < clusters->n; c++)
    if (schedule_component(clusters, c) < 0)
      return isl_stat_error;
  return isl_stat_ok;
}

/* The bands of the groups that are left, in the order in which they run. */
static isl_stat finish(struct clusters *clusters, struct tsr_band **band, int *n_band)
{
  struct tsr_graph *graph = clusters->graph;
  int *number = calloc(clusters->n + 1, sizeof(int)), n = 0;
  *band = calloc(clusters->n + 1, sizeof(**band) + TSR_MAX_DIM * sizeof(bool));
  if (!number || !*band) {
    free(number);
    return isl_stat_error;
  }
  bool *coincident = (bool *)(*band + clusters->n + 1);
  int *cluster = calloc(graph->n_node + 1, sizeof(int));
  for (int i = 0; cluster && i < graph->n_node; i++) {
    int c = cluster[i] = graph->node[i]->mark;
    number[c] = number[c] ? number[c] : ++n;
    graph->node[i]->mark = number[c] - 1;
  }
  isl_stat ok = cluster ? tsr_graph_order_groups(graph, n) : isl_stat_error;
  for (int i = 0; i < graph->n_node && ok == isl_stat_ok; i++) {
    int g = graph->node[i]->mark;
    (*band)[g] = clusters->band[cluster[i]];
    (*band)[g].coincident = coincident + g * TSR_MAX_DIM;
    memcpy((*band)[g].coincident, clusters->band[cluster[i]].coincident, TSR_MAX_DIM * sizeof(bool));
  }
  free(cluster);
  free(number);
  *n_band = n;
  return ok;
}

isl_stat tsr_cluster(struct tsr_graph *graph, const struct tsr_policy *policy, struct tsr_band **band, int *n_band)
{
  int row = graph->n_node ? graph->node[0]->n_row : 0;
  isl_size n = tsr_graph_strong_components(graph);
  *band = NULL;
  if (n < 0)
    return isl_stat_error;
  tsr_graph_fix_crossing_ranges(graph);
  struct clusters clusters = {.graph = graph, .policy = policy, .n = n};
  clusters.rule = tsr_fusion_rule(policy, row, tsr_graph_missing(graph));
  clusters.band = calloc(n + 1, sizeof(struct tsr_band));
  clusters.closed = calloc(2 * n + (size_t)n * n + (size_t)n * TSR_MAX_DIM + 1, sizeof(bool));
  clusters.node = calloc(n + graph->n_node + 1, sizeof(struct tsr_node *));
  isl_stat ok = isl_stat_error;
  if (clusters.band && clusters.closed && clusters.node) {
    clusters.stmt = clusters.node + n;
    clusters.member = clusters.closed + n;
    clusters.failed = clusters.member + n;
    for (int c = 0; c < n; c++)
      clusters.band[c].coincident = clusters.failed + (size_t)n * n + (size_t)c * TSR_MAX_DIM;
    ok = schedule_components(&clusters);
    ok = ok == isl_stat_ok ? fuse_all(&clusters) : ok;
    ok = ok == isl_stat_ok ? finish(&clusters, band, n_band) : ok;
  }
  free(clusters.band);
  free(clusters.closed);
  free(clusters.node);
  return ok;
}
