/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Proximity (bastoul-cgo22, equation 2; zinenko-cc18, equation 1): one bound on all reuse distances,
 *
 *     phi_T(t, p) - phi_S(s, p) <= u . p + w      minimise  sum |u_i|, then w
 *
 * An edge that isn't under validity may have a negative distance as well; its absolute value is bounded:
 *
 *     phi_S(s, p) - phi_T(t, p) <= u . p + w */
#include "sched/scheduler.h"

/* Defines TSR_PROXIMITY_OBJECTIVES objectives. LOOPS: edges from a node to itself as well. Edges with one of
 * ZERO have distance 0 in this problem. */
static isl_stat build(struct tsr_problem *problem, bool loops, unsigned zero)
{
  long *row = tsr_ilp_row(problem->ilp);
  for (int i = 0; i < 2 * problem->graph->n_param; i++)
    row[1 + problem->bound + i] = 1;
  if (tsr_problem_minimise(problem, row) < 0)
    return isl_stat_error;
  row = tsr_ilp_row(problem->ilp);
  row[1 + tsr_column_w(problem)] = 1;
  if (tsr_problem_minimise(problem, row) < 0)
    return isl_stat_error;
  for (int i = 0; i < problem->graph->n_edge; i++) {
    struct tsr_edge *edge = problem->graph->edge[i];
    if (!(edge->kind & TSR_EDGE_PROXIMITY) || (edge->kind & zero) || (edge->src == edge->dst && !loops))
      continue;
    if (tsr_problem_add_edge(problem, edge, -1, TSR_SLACK_BOUND, 0) < 0)
      return isl_stat_error;
    if (!(edge->kind & TSR_EDGE_VALIDITY) && tsr_problem_add_edge(problem, edge, 1, TSR_SLACK_BOUND, 0) < 0)
      return isl_stat_error;
  }
  return isl_stat_ok;
}

isl_stat tsr_build_proximity(struct tsr_problem *problem, unsigned zero)
{
  return build(problem, true, zero);
}

isl_stat tsr_build_alignment(struct tsr_problem *problem, unsigned zero)
{
  return build(problem, false, zero);
}
