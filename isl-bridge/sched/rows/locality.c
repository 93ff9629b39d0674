/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Spatial and temporal locality as objectives (zinenko-cc18, sections 4.3 to 4.5), over the groups of reuse.c.
 *
 * Carry few (equation 3):   T_g = sum |c . v|   over the directions v of temporal reuse of group g
 *                           S_g = |c . v|       for that of spatial reuse
 *                           lexmin T_1, S_1, T_2, S_2, ...
 *
 * Carry many (equation 4):  c . v >= 1 - x_g,  x_g >= 0      minimise  sum x_g
 *
 * Groups are sorted by decreasing rank, the number of subscripts that the rows so far don't fix, then by decreasing
 * multiplicity. Groups of different statements with the same place in their statement's order share an objective, the sum:
 * what competes is the accesses of one statement. Reuse that a row carries is spent: no later row cares about it. */
#include "sched/scheduler.h"
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* One group of a statement in the problem at hand. */
struct group {
  struct tsr_node *holder, *stmt;
  const struct tsr_reuse *reuse;
  int rank, place; /* among the statement's groups of equal rank and multiplicity */
};

struct tsr_locality {
  struct group *group;
  int n_group, n_key;
  int *key; /* by group: groups of one key stand next to each other */
};

int tsr_node_n_member(const struct tsr_node *node)
{
  return node->member ? node->n_member : 1;
}

struct tsr_node *tsr_node_member(struct tsr_node *node, int i)
{
  return node->member ? node->member[i] : node;
}

/* Row R of STMT, a member of HOLDER, as coefficients of its iterators, into OUT: first come STMT's rows outside of HOLDER's
 * band, then those of HOLDER. */
static void row_of(struct tsr_node *holder, struct tsr_node *stmt, int r, long *out)
{
  int width = tsr_node_width(stmt), base = 1 + stmt->n_param;
  if (holder == stmt || r < holder->first) {
    memcpy(out, stmt->row + (size_t)r * width + base, sizeof(long) * stmt->n);
    return;
  }
  const long *how = holder->row + (size_t)(r - holder->first) * tsr_node_width(holder) + 1 + holder->n_param;
  memset(out, 0, sizeof(long) * stmt->n);
  for (int k = 0; k < holder->n; k++)
    for (int i = 0; i < stmt->n; i++)
      out[i] += how[k] * stmt->row[(size_t)(holder->first + k) * width + base + i];
}

static int rows_so_far(struct tsr_node *holder, struct tsr_node *stmt)
{
  return holder == stmt ? stmt->n_row : holder->first + holder->n_row;
}

static bool is_carried(struct tsr_node *holder, struct tsr_node *stmt, const long *direction, int first)
{
  long row[TSR_MAX_DIM];
  for (int r = first; r < rows_so_far(holder, stmt); r++) {
    long distance = 0;
    row_of(holder, stmt, r, row);
    for (int i = 0; i < stmt->n; i++)
      distance += row[i] * direction[i];
    if (distance)
      return true;
  }
  return false;
}

/* The number of subscripts of ACCESS that the rows so far leave free. */
static int rank_of(struct tsr_node *holder, struct tsr_node *stmt, isl_mat *access)
{
  long row[TSR_MAX_DIM];
  int n_row = rows_so_far(holder, stmt);
  isl_mat *rows = isl_mat_alloc(isl_mat_get_ctx(access), n_row, stmt->n);
  for (int r = 0; r < n_row; r++) {
    row_of(holder, stmt, r, row);
    for (int i = 0; i < stmt->n; i++)
      rows = isl_mat_set_element_si(rows, r, i, (int)row[i]);
  }
  isl_size fixed = n_row ? isl_mat_rank(rows) : 0;
  rows = isl_mat_concat(rows, isl_mat_copy(access));
  isl_size all = isl_mat_rank(rows);
  isl_mat_free(rows);
  return all < 0 || fixed < 0 ? 0 : all - fixed;
}

static int compare(const void *a, const void *b)
{
  const struct group *x = a, *y = b;
  if (x->rank != y->rank)
    return y->rank - x->rank;
  if (x->reuse->multiplicity != y->reuse->multiplicity)
    return y->reuse->multiplicity - x->reuse->multiplicity;
  return x->place - y->place;
}

static int count_groups(struct tsr_graph *graph)
{
  int n = 0;
  for (int i = 0; i < graph->n_node; i++)
    for (int k = 0; k < tsr_node_n_member(graph->node[i]); k++)
      n += tsr_node_member(graph->node[i], k)->n_reuse;
  return n;
}

/* The groups of STMT that have something left to carry. */
static void add_groups(struct tsr_locality *locality, struct tsr_node *holder, struct tsr_node *stmt)
{
  int first = locality->n_group;
  for (int g = 0; g < stmt->n_reuse; g++) {
    const struct tsr_reuse *reuse = &stmt->reuse[g];
    bool open = reuse->spatial && !is_carried(holder, stmt, reuse->spatial, 0);
    for (int k = 0; k < reuse->n_temporal && !open; k++)
      open = !is_carried(holder, stmt, reuse->temporal + (size_t)k * stmt->n, 0);
    if (!open)
      continue;
    struct group group = {.holder = holder, .stmt = stmt, .reuse = reuse, .rank = rank_of(holder, stmt, reuse->access)};
    for (int k = first; k < locality->n_group; k++) {
      const struct group *other = &locality->group[k];
      group.place += other->rank == group.rank && other->reuse->multiplicity == reuse->multiplicity;
    }
    locality->group[locality->n_group++] = group;
  }
}

struct tsr_locality *tsr_locality_alloc(struct tsr_graph *graph)
{
  struct tsr_locality *locality = calloc(1, sizeof(*locality));
  int n = count_groups(graph);
  if (!locality)
    return NULL;
  locality->group = calloc(n + 1, sizeof(struct group));
  locality->key = calloc(n + 1, sizeof(int));
  if (!locality->group || !locality->key)
    return tsr_locality_free(locality);
  for (int i = 0; i < graph->n_node; i++)
    for (int k = 0; k < tsr_node_n_member(graph->node[i]); k++)
      add_groups(locality, graph->node[i], tsr_node_member(graph->node[i], k));
  qsort(locality->group, locality->n_group, sizeof(struct group), compare);
  for (int g = 0; g < locality->n_group; g++) {
    locality->n_key += !g || compare(&locality->group[g - 1], &locality->group[g]);
    locality->key[g] = locality->n_key - 1;
  }
  return locality;
}

struct tsr_locality *tsr_locality_free(struct tsr_locality *locality)
{
  if (!locality)
    return NULL;
  free(locality->group);
  free(locality->key);
  free(locality);
  return NULL;
}

int tsr_locality_n_group(const struct tsr_locality *locality)
{
  return locality->n_group;
}

int tsr_locality_n_key(const struct tsr_locality *locality)
{
  return locality->n_key;
}

/* SIGN * c . DIRECTION + column >= 0 */
static isl_stat bound_distance(struct tsr_problem *problem, const struct group *group, const long *direction, int sign,
                               int column, long constant)
{
  long weight[1 + TSR_MAX_DIM];
  struct tsr_node *stmt = group->stmt;
  long *row = tsr_ilp_row(problem->ilp);
  memcpy(weight, direction, sizeof(long) * stmt->n);
  tsr_problem_add_coefficients(problem, row, group->holder, stmt, weight, sign);
  row[0] = constant;
  row[1 + column] = 1;
  return tsr_ilp_commit(problem->ilp, false);
}

/* Add |c . DIRECTION| to the objective SUM, a row of the problem; with the column COLUMN where it isn't a multiple of one
 * coefficient. */
static isl_stat add_distance(struct tsr_problem *problem, const struct group *group, const long *direction, int column,
                             long *sum)
{
  struct tsr_node *holder = group->holder, *stmt = group->stmt;
  if (is_carried(holder, stmt, direction, 0))
    return isl_stat_ok;
  long *row = tsr_ilp_row(problem->ilp);
  int n_moving = 0, moving = 0;
  tsr_problem_add_coefficients(problem, row, holder, stmt, direction, 1);
  for (int i = 0; i < holder->n; i++)
    if (row[1 + tsr_column_iterator(holder, i)]) {
      moving = 1 + tsr_column_iterator(holder, i);
      n_moving++;
    }
  if (n_moving == 1) {
    sum[moving] += labs(row[moving]);
    sum[moving + 1] += labs(row[moving]);
  }
  if (n_moving <= 1)
    return isl_stat_ok;
  sum[1 + column] = 1;
  if (bound_distance(problem, group, direction, 1, column, 0) < 0)
    return isl_stat_error;
  return bound_distance(problem, group, direction, -1, column, 0);
}

/* Minimise the N forms in SUM, one after the other; what says nothing new is left out. */
static isl_stat minimise_sums(struct tsr_problem *problem, const long *sum, int n)
{
  int width = 1 + problem->n_col;
  for (int k = 0; k < n; k++) {
    bool is_new = false;
    for (int i = 0; i < width && !is_new; i++)
      is_new = sum[(size_t)k * width + i] != 0;
    for (int before = 0; before < k && is_new; before++)
      is_new = memcmp(sum + (size_t)before * width, sum + (size_t)k * width, sizeof(long) * width);
    if (!is_new)
      continue;
    long *row = tsr_ilp_row(problem->ilp);
    memcpy(row, sum + (size_t)k * width, sizeof(long) * width);
    if (tsr_problem_minimise(problem, row) < 0)
      return isl_stat_error;
  }
  return isl_stat_ok;
}

isl_stat tsr_build_locality(struct tsr_problem *problem, const struct tsr_locality *locality, int column)
{
  size_t width = 1 + problem->n_col;
  long *sum = calloc(2 * locality->n_key * width + 1, sizeof(long)); /* temporal, spatial; by key */
  isl_stat ok = sum ? isl_stat_ok : isl_stat_error;
  for (int g = 0; g < locality->n_group && ok == isl_stat_ok; g++) {
    const struct group *group = &locality->group[g];
    const struct tsr_reuse *reuse = group->reuse;
    long *temporal = sum + 2 * locality->key[g] * width;
    for (int k = 0; k < reuse->n_temporal && ok == isl_stat_ok; k++)
      ok = add_distance(problem, group, reuse->temporal + (size_t)k * group->stmt->n, column + 2 * g, temporal);
    if (reuse->spatial && ok == isl_stat_ok)
      ok = add_distance(problem, group, reuse->spatial, column + 2 * g + 1, temporal + width);
  }
  if (ok == isl_stat_ok)
    ok = minimise_sums(problem, sum, 2 * locality->n_key);
  free(sum);
  return ok;
}

isl_stat tsr_build_reuse(struct tsr_problem *problem, const struct tsr_locality *locality, int column)
{
  for (int g = 0; g < locality->n_group; g++) {
    const struct group *group = &locality->group[g];
    if (group->reuse->spatial && !is_carried(group->holder, group->stmt, group->reuse->spatial, 0) &&
        bound_distance(problem, group, group->reuse->spatial, 1, column + g, -1) < 0)
      return isl_stat_error;
  }
  long *row = tsr_ilp_row(problem->ilp);
  for (int g = 0; g < locality->n_group; g++)
    row[1 + column + g] = 1;
  return tsr_problem_minimise(problem, row);
}

bool tsr_locality_carried(struct tsr_graph *graph, int row)
{
  for (int i = 0; i < graph->n_node; i++)
    for (int k = 0; k < tsr_node_n_member(graph->node[i]); k++) {
      struct tsr_node *stmt = tsr_node_member(graph->node[i], k);
      for (int g = 0; g < stmt->n_reuse; g++)
        if (stmt->reuse[g].spatial && is_carried(graph->node[i], stmt, stmt->reuse[g].spatial, row + graph->node[i]->first))
          return true;
    }
  return false;
}

int tsr_register_pressure(struct tsr_graph *graph)
{
  int pressure = 0;
  for (int i = 0; i < graph->n_node; i++)
    for (int k = 0; k < tsr_node_n_member(graph->node[i]); k++) {
      struct tsr_node *stmt = tsr_node_member(graph->node[i], k);
      for (int g = 0; g < stmt->n_reuse; g++)
        pressure += stmt->reuse[g].multiplicity * stmt->n;
    }
  return pressure;
}
