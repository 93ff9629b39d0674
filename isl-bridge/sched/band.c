/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bands: rows that keep the same dependences, so that their loops may be exchanged and tiled.
 *
 * Each row is the best solution (proximity first, then small coefficients) that keeps all dependences; coincident if there
 * is one, and once there is none for a row, there is none for a later one, which has to be independent of more rows.
 *
 * Live ranges of private scalars take part as conditions. At first they are free; a row that would run one of them against
 * another makes the scalar local (its values stay within one iteration of the band) and the band starts anew; if a local
 * scalar leaves no row at all, its live ranges keep their order. Each scalar moves on at most twice, so this ends. */
#include "sched/scheduler.h"

static bool may_move(struct tsr_edge *edge, int r)
{
  return tsr_edge_may_be_negative(edge, r) || tsr_edge_may_be_positive(edge, r);
}

/* Keep the live ranges of SCALAR within an iteration. Do all rows from FIRST on do so already? */
static bool make_local(struct tsr_graph *graph, int scalar, int first)
{
  bool is_local = true;
  for (int i = 0; i < graph->n_edge; i++) {
    struct tsr_edge *edge = graph->edge[i];
    if (!(edge->kind & TSR_EDGE_CONDITION) || edge->scalar != scalar)
      continue;
    edge->kind |= TSR_EDGE_LOCAL;
    for (int r = first; r < edge->src->n_row; r++)
      is_local = is_local && !may_move(edge, r);
  }
  return is_local;
}

static bool is_local(struct tsr_graph *graph, int scalar)
{
  for (int i = 0; i < graph->n_edge; i++)
    if ((graph->edge[i]->kind & TSR_EDGE_LOCAL) && graph->edge[i]->scalar == scalar)
      return true;
  return false;
}

/* Keep the live ranges of local scalars in order instead. Was there one? */
static bool order_local(struct tsr_graph *graph)
{
  bool changed = false;
  for (int i = 0; i < graph->n_edge; i++) {
    struct tsr_edge *edge = graph->edge[i];
    if ((edge->kind & TSR_EDGE_CONDITIONAL) && !(edge->kind & TSR_EDGE_VALIDITY) && is_local(graph, edge->scalar)) {
      edge->kind |= TSR_EDGE_VALIDITY;
      changed = true;
    }
  }
  for (int i = 0; i < graph->n_edge; i++)
    graph->edge[i]->kind &= ~TSR_EDGE_LOCAL;
  return changed;
}

/* Does the row R tear live ranges of scalars that are free? Then make them local. *TORN: an earlier row from FIRST on does
 * not keep them local. */
static void check_conditions(struct tsr_graph *graph, int first, int r, bool *torn)
{
  *torn = false;
  for (int i = 0; i < graph->n_edge; i++) {
    struct tsr_edge *edge = graph->edge[i];
    if (!(edge->kind & TSR_EDGE_CONDITIONAL) || (edge->kind & TSR_EDGE_VALIDITY) || !tsr_edge_may_be_negative(edge, r) ||
        is_local(graph, edge->scalar))
      continue;
    if (!make_local(graph, edge->scalar, first))
      *torn = true;
  }
}

/* What was decided for an earlier band holds no more. */
static void reset(struct tsr_graph *graph)
{
  for (int i = 0; i < graph->n_edge; i++) {
    struct tsr_edge *edge = graph->edge[i];
    edge->kind &= ~TSR_EDGE_LOCAL;
    if (edge->kind & TSR_EDGE_CONDITIONAL)
      edge->kind &= ~TSR_EDGE_VALIDITY;
  }
}

static isl_stat truncate(struct tsr_graph *graph, int n_row)
{
  for (int i = 0; i < graph->n_node; i++)
    if (tsr_node_truncate(graph->node[i], n_row) < 0)
      return isl_stat_error;
  return isl_stat_ok;
}

/* Append rows while there are some. *AGAIN: a scalar has become local, and rows before don't respect it. */
static isl_stat fill(struct tsr_graph *graph, const struct tsr_policy *policy, struct tsr_band *band, bool *again)
{
  int missing = tsr_graph_missing(graph), n_coincident = 0;
  bool may_be = true; /* once there is no coincident row, there is none that depends on fewer */
  *again = false;
  for (band->n = 0; band->n < missing && band->n < TSR_MAX_DIM && !*again;) {
    bool coincident = may_be, needed = n_coincident < band->least_coincident;
    isl_bool found = tsr_row_compute(graph, policy, missing - band->n, band->n == 0, n_coincident, needed, &coincident);
    if (found != isl_bool_true)
      return found < 0 ? isl_stat_error : isl_stat_ok;
    may_be = may_be && coincident;
    n_coincident += coincident;
    band->coincident[band->n] = coincident;
    check_conditions(graph, band->first, band->first + band->n++, again);
    if (band->short_edge && !*again && !tsr_graph_has_short_edge(graph, band->first))
      return isl_stat_ok;
  }
  return isl_stat_ok;
}

isl_stat tsr_band_compute(struct tsr_graph *graph, const struct tsr_policy *policy, struct tsr_band *band)
{
  band->first = graph->n_node ? graph->node[0]->n_row : 0;
  reset(graph);
  for (;;) {
    bool again;
    if (fill(graph, policy, band, &again) < 0)
      return isl_stat_error;
    if (!again && (band->n > 0 || !order_local(graph)))
      return isl_stat_ok;
    if (truncate(graph, band->first) < 0)
      return isl_stat_error;
  }
}
