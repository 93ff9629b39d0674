/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The problem whose solution is the next row of every node of a graph. */
#include "sched/scheduler.h"
#include <stdlib.h>

struct tsr_problem *tsr_problem_alloc(struct tsr_graph *graph, int n_objective, int n_carry)
{
  struct tsr_problem *problem = calloc(1, sizeof(*problem));
  if (!problem)
    return NULL;
  problem->graph = graph;
  problem->n_objective = n_objective;
  problem->n_lead = n_objective < 2 ? n_objective : 2;
  problem->bound = n_objective;
  problem->n_carry = n_carry;
  problem->carry = tsr_column_w(problem) + 1;
  int column = problem->carry + n_carry;
  for (int i = 0; i < graph->n_node; i++) {
    struct tsr_node *node = graph->node[i];
    node->column = column;
    column += 2 * node->n + node->n_param + 1;
  }
  problem->n_col = column;
  problem->ilp = tsr_ilp_alloc(graph->ctx, column);
  problem->x = calloc(column + 1, sizeof(long));
  return problem->ilp && problem->x ? problem : tsr_problem_free(problem);
}

struct tsr_problem *tsr_problem_free(struct tsr_problem *problem)
{
  if (!problem)
    return NULL;
  tsr_ilp_free(problem->ilp);
  free(problem->x);
  free(problem);
  return NULL;
}

/* objective >= form: the least solution makes it equal, and isl has no equality to substitute everywhere. */
isl_stat tsr_problem_minimise(struct tsr_problem *problem, long *row)
{
  for (int i = 0; i <= problem->n_col; i++)
    row[i] = -row[i];
  row[1 + problem->used++] = 1;
  return tsr_ilp_commit(problem->ilp, false);
}

isl_stat tsr_problem_minimise_shift(struct tsr_problem *problem)
{
  long *row = tsr_ilp_row(problem->ilp);
  for (int i = 0; i < problem->graph->n_node; i++)
    for (int k = 0; k < problem->graph->n_param; k++)
      row[1 + tsr_column_param(problem->graph->node[i], k)] = 1;
  return tsr_problem_minimise(problem, row);
}

isl_stat tsr_problem_minimise_size(struct tsr_problem *problem)
{
  long *row = tsr_ilp_row(problem->ilp);
  for (int i = 0; i < problem->graph->n_node; i++)
    for (int k = 0; k < 2 * problem->graph->node[i]->n; k++)
      row[1 + problem->graph->node[i]->column + k] = 1;
  return tsr_problem_minimise(problem, row);
}

isl_stat tsr_problem_minimise_coefficients(struct tsr_problem *problem)
{
  return tsr_problem_minimise_shift(problem) < 0 ? isl_stat_error : tsr_problem_minimise_size(problem);
}

/* Add F times the coefficient of iterator I of NODE to ROW. */
static void add_iterator(long *row, struct tsr_node *node, int i, long f)
{
  int column = 1 + tsr_column_iterator(node, i);
  row[column] -= f;
  row[column + 1] += f;
}

void tsr_problem_add_coefficients(struct tsr_problem *problem, long *row, struct tsr_node *holder, struct tsr_node *stmt,
                                  const long *weight, int sign)
{
  (void)problem;
  int width = tsr_node_width(stmt), base = 1 + stmt->n_param;
  for (int i = 0; i < holder->n; i++) {
    long f = holder == stmt ? weight[i] : 0;
    for (int k = 0; k < stmt->n && holder != stmt; k++)
      f += weight[k] * stmt->row[(size_t)(holder->first + i) * width + base + k];
    add_iterator(row, holder, i, sign * f);
  }
}

/* One line F of the cone of EDGE. */
static void add_distance(long *row, struct tsr_edge *edge, const long *f, int sign)
{
  struct tsr_node *src = edge->src, *dst = edge->dst;
  int at = 1 + src->n_param;
  if (src != dst) {
    row[1 + tsr_column_constant(dst)] += sign * f[0];
    row[1 + tsr_column_constant(src)] -= sign * f[0];
    for (int i = 0; i < src->n_param; i++) {
      row[1 + tsr_column_param(dst, i)] += sign * f[1 + i];
      row[1 + tsr_column_param(src, i)] -= sign * f[1 + i];
    }
    for (int i = 0; i < src->n; i++)
      add_iterator(row, src, i, -sign * f[at++]);
  }
  for (int i = 0; i < dst->n; i++)
    add_iterator(row, dst, i, sign * f[at++]);
}

static void add_slack(struct tsr_problem *problem, long *row, const long *f, enum tsr_slack slack, int column)
{
  switch (slack) {
  case TSR_SLACK_NONE:
    return;
  case TSR_SLACK_BOUND:
    for (int i = 0; i < problem->graph->n_param; i++) {
      row[1 + problem->bound + 2 * i] -= f[1 + i];
      row[1 + problem->bound + 2 * i + 1] += f[1 + i];
    }
    row[1 + tsr_column_w(problem)] += f[0];
    return;
  case TSR_SLACK_CARRY:
    row[0] -= f[0];
    row[1 + column] += f[0];
    return;
  }
}

isl_stat tsr_problem_add_edge(struct tsr_problem *problem, struct tsr_edge *edge, int sign, enum tsr_slack slack, int column)
{
  if (tsr_edge_prepare(edge) < 0)
    return isl_stat_error;
  struct tsr_cone *cone = edge->cone;
  for (int i = 0; i < cone->n_eq + cone->n_ineq; i++) {
    bool equality = i < cone->n_eq;
    const long *f = equality ? cone->eq + (size_t)i * cone->width : cone->ineq + (size_t)(i - cone->n_eq) * cone->width;
    long *row = tsr_ilp_row(problem->ilp);
    add_distance(row, edge, f, sign);
    add_slack(problem, row, f, slack, column);
    if (tsr_ilp_commit(problem->ilp, equality) < 0)
      return isl_stat_error;
  }
  return isl_stat_ok;
}

isl_stat tsr_problem_add_zero_edge(struct tsr_problem *problem, struct tsr_edge *edge)
{
  if (tsr_edge_prepare(edge) < 0)
    return isl_stat_error;
  struct tsr_cone *cone = edge->cone;
  for (int i = 0; i < cone->n_eq + cone->n_ineq; i++) {
    const long *f =
        i < cone->n_eq ? cone->eq + (size_t)i * cone->width : cone->ineq + (size_t)(i - cone->n_eq) * cone->width;
    add_distance(tsr_ilp_row(problem->ilp), edge, f, 1);
    if (tsr_ilp_commit(problem->ilp, true) < 0)
      return isl_stat_error;
  }
  return isl_stat_ok;
}

/* The solution X of NODE as a row. */
static isl_stat append(struct tsr_node *node, const long *x)
{
  long *row = calloc(tsr_node_width(node), sizeof(long));
  if (!row)
    return isl_stat_error;
  row[0] = x[tsr_column_constant(node)];
  for (int i = 0; i < node->n_param; i++)
    row[1 + i] = x[tsr_column_param(node, i)];
  for (int i = 0; i < node->n; i++) {
    int column = tsr_column_iterator(node, i);
    row[1 + node->n_param + i] = x[column + 1] - x[column];
  }
  isl_stat ok = tsr_node_add_row(node, row);
  free(row);
  return ok;
}

isl_bool tsr_problem_solve(struct tsr_problem *problem, const bool *needs_row)
{
  struct tsr_graph *graph = problem->graph;
  struct tsr_region *region = calloc(graph->n_node + 1, sizeof(*region));
  isl_bool found = isl_bool_error;
  isl_stat ok = region ? isl_stat_ok : isl_stat_error;
  for (int i = 0; i < graph->n_node && ok == isl_stat_ok; i++)
    ok = tsr_build_progression(graph->node[i], needs_row && needs_row[i], &region[i]);
  if (ok == isl_stat_ok)
    found = tsr_ilp_lexmin(problem->ilp, problem->n_lead, region, graph->n_node, problem->x);
  for (int i = 0; i < graph->n_node && region; i++)
    free(region[i].data);
  for (int i = 0; i < graph->n_node && found == isl_bool_true; i++)
    if (append(graph->node[i], problem->x) < 0)
      found = isl_bool_error;
  free(region);
  return found;
}
