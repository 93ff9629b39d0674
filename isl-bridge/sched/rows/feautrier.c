/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Feautrier's step (zinenko-cc18, equation 2): one row that carries as many dependences as possible,
 *
 *     phi_T(t, p) - phi_S(s, p) >= e_k,  0 <= e_k <= 1      minimise  sum (1 - e_k), then sum d, then sum |c|
 *
 * with one x_k = 1 - e_k an edge. It ends a deadlock: what is carried is out of the way of the rows behind. */
#include "sched/scheduler.h"

static isl_stat add_edge(struct tsr_problem *problem, struct tsr_edge *edge, int column)
{
  long *row = tsr_ilp_row(problem->ilp);
  row[0] = 1;
  row[1 + column] = -1;
  if (tsr_ilp_commit(problem->ilp, false) < 0)
    return isl_stat_error;
  return tsr_problem_add_edge(problem, edge, 1, TSR_SLACK_CARRY, column);
}

static isl_stat build(struct tsr_problem *problem)
{
  struct tsr_graph *graph = problem->graph;
  long *row = tsr_ilp_row(problem->ilp);
  for (int i = 0; i < problem->n_carry; i++)
    row[1 + problem->carry + i] = 1;
  if (tsr_problem_minimise(problem, row) < 0 || tsr_problem_minimise_coefficients(problem) < 0)
    return isl_stat_error;
  for (int i = 0, column = problem->carry; i < graph->n_edge; i++)
    if (tsr_edge_is_ordering(graph->edge[i]) && add_edge(problem, graph->edge[i], column++) < 0)
      return isl_stat_error;
  return isl_stat_ok;
}

isl_bool tsr_feautrier_row(struct tsr_graph *graph)
{
  int n_carry = 0;
  for (int i = 0; i < graph->n_edge; i++)
    n_carry += tsr_edge_is_ordering(graph->edge[i]);
  if (!n_carry)
    return isl_bool_false;
  struct tsr_problem *problem = tsr_problem_alloc(graph, 3, n_carry);
  if (!problem || build(problem) < 0) {
    tsr_problem_free(problem);
    return isl_bool_error;
  }
  isl_bool found = tsr_problem_solve(problem, NULL);
  int left = 0;
  for (int i = 0; i < n_carry && found == isl_bool_true; i++)
    left += problem->x[problem->carry + i] != 0;
  tsr_problem_free(problem);
  if (found == isl_bool_true && left == n_carry) {
    for (int i = 0; i < graph->n_node; i++)
      if (tsr_node_truncate(graph->node[i], graph->node[i]->n_row - 1) < 0)
        return isl_bool_error;
    return isl_bool_false;
  }
  return found;
}
