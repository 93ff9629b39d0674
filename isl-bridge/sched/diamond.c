/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Concurrent start (V. Bandishti, I. Pananilath, U. Bondhugula, "Tiling stencil computations to maximize parallelism",
 * SC'12). Tiles of a time-skewed band h_0, ..., h_(k-1) start one after the other, from a corner of the space: a wavefront
 * fills up slowly. Tiles at t = 0 can start at once if time is inside of the cone of hyperplanes that cut them:
 *
 *     lambda n_S = g + h_1,S + ... + h_(m-1),S    for every statement S, lambda > 0      (theorem 1, all factors 1)
 *
 *   n_S       the face: the iterators' part of h_0,S, the row that was found first
 *   h_i, g    the hyperplanes of the tiles, each of which keeps all dependences
 *
 * g takes the place of h_0; to solve for are lambda and g's constants. Factors other than 1 give nothing more: where
 * l_0 g + sum_i l_i h_i = lambda n with l_i >= 1, l_0 g + sum_i (l_i - 1) h_i may take g's place, which keeps what each of
 * them keeps. With all factors 1, tiles of equal sizes in these m directions are independent of each other along the face,
 * and the sum of their numbers is the wavefront (wavefront.c).
 *
 *   jacobi-1d   h = (t, 2t + i)             n = t   4t = (2t - i) + (2t + i)                     diamonds
 *   jacobi-2d   h = (t, 2t + i, 2t + j)     n = t   4t = (2t - i) + (2t + i)                     m = 2
 *                                                   6t = (2t - i - j) + (2t + i) + (2t + j)      m = 3
 *   seidel-2d   h = (t, t + i, t + j)       none: t does not carry the dependence (0, 1, 0)
 *
 * m is the number of space dimensions along which all tiles start at once, plus one. One dimension is enough for threads
 * (section 4.2 of the paper, "lower dimensional concurrent start"), and the code for more is large: with m = k, isl takes 38
 * seconds for the loops of heat-3d, with m = 2 half of one.
 *
 * The face has to carry all dependences, for two instances of it that depend on each other can't start together; and the
 * instances have to begin there, so that n_S is the normal of a lower bound of S's domain.
 *
 *   mark "concurrent-start" - G(h_1, g, h_2, ..., h_(k-1)) - H(h_0, ..., h_(k-1)) - X
 *
 * is what is written for m = 2: tile.c makes tiles of G, or drops it. Within a tile the instances keep the order of H, whose
 * loops have no strides. */
#include "sched/scheduler.h"
#include <isl/id.h>
#include <isl/val.h>
#include <string.h>

static const long *iterators(const struct tsr_node *node, int r)
{
  return node->row + (size_t)r * tsr_node_width(node) + 1 + node->n_param;
}

/* Does inequality ROW of MAT say normal . i + f(parameters) >= 0, up to a positive factor? Columns: N iterators, divs, ...
 */
static bool is_bound(isl_mat *mat, int row, const long *normal, int n, int n_div)
{
  long bound[TSR_MAX_DIM];
  bool parallel = true, ahead = false;
  for (int i = 0; i < n + n_div; i++) {
    isl_val *value = isl_mat_get_element_val(mat, row, i);
    long v = isl_val_cmp_si(value, 1 << 20) < 0 && isl_val_cmp_si(value, -(1 << 20)) > 0 ? isl_val_get_num_si(value) : 0;
    isl_val_free(value);
    if (i < n)
      bound[i] = v;
    parallel = parallel && (i < n || v == 0);
  }
  for (int i = 0; i < n && parallel; i++) {
    ahead = ahead || bound[i] * normal[i] > 0;
    for (int j = 0; j < i; j++)
      parallel = parallel && bound[i] * normal[j] == bound[j] * normal[i];
    parallel = parallel && (bound[i] != 0) == (normal[i] != 0) && bound[i] * normal[i] >= 0;
  }
  return parallel && ahead;
}

struct face {
  const long *normal;
  bool bounded; /* has each part so far a lower bound along the normal? */
};

static isl_stat find_bound(isl_basic_set *part, void *user)
{
  struct face *face = user;
  bool found = false;
  isl_size n = isl_basic_set_dim(part, isl_dim_set), n_div = isl_basic_set_dim(part, isl_dim_div);
  isl_mat *mat = isl_basic_set_inequalities_matrix(part, isl_dim_set, isl_dim_div, isl_dim_param, isl_dim_cst);
  isl_size n_row = isl_mat_rows(mat);
  for (int r = 0; r < n_row && n >= 0 && n <= TSR_MAX_DIM && n_div >= 0 && !found; r++)
    found = is_bound(mat, r, face->normal, n, n_div);
  face->bounded = face->bounded && found;
  isl_mat_free(mat);
  isl_basic_set_free(part);
  return n_row < 0 ? isl_stat_error : isl_stat_ok;
}

/* Do the instances of all nodes begin at a bound along row R? And are dependences all there is to keep? (Live ranges of
 * scalars would need an analysis of their own.) */
static isl_bool is_face(struct tsr_graph *graph, int r)
{
  for (int i = 0; i < graph->n_edge; i++)
    if (graph->edge[i]->kind & (TSR_EDGE_CONDITION | TSR_EDGE_CONDITIONAL))
      return isl_bool_false;
  for (int i = 0; i < graph->n_node; i++) {
    struct face face = {.normal = iterators(graph->node[i], r), .bounded = true};
    isl_set *domain = isl_set_compute_divs(isl_set_copy(graph->node[i]->domain));
    isl_stat ok = isl_set_foreach_basic_set(domain, &find_bound, &face);
    isl_set_free(domain);
    if (ok < 0 || !face.bounded)
      return ok < 0 ? isl_bool_error : isl_bool_false;
  }
  return isl_bool_true;
}

/* c_S = x row_R,S - sum of rows R + 1 to R + N - 1, for all nodes, with x the column LAMBDA, which is 1 at least. */
static isl_stat tie(struct tsr_problem *problem, int lambda, int r, int n)
{
  for (int i = 0; i < problem->graph->n_node; i++) {
    struct tsr_node *node = problem->graph->node[i];
    for (int k = 0; k < node->n; k++) {
      long *row = tsr_ilp_row(problem->ilp);
      row[1 + tsr_column_iterator(node, k)] = 1;
      row[1 + tsr_column_iterator(node, k) + 1] = -1;
      row[1 + lambda] = iterators(node, r)[k];
      for (int h = 1; h < n; h++)
        row[0] -= iterators(node, r + h)[k];
      if (tsr_ilp_commit(problem->ilp, true) < 0)
        return isl_stat_error;
    }
  }
  long *row = tsr_ilp_row(problem->ilp);
  row[0] = -1;
  row[1 + lambda] = 1;
  return tsr_ilp_commit(problem->ilp, false);
}

/* phi_T - phi_S >= 1 along all edges: x - 1 with x the column ZERO, which is 0. */
static isl_stat carry_all(struct tsr_problem *problem, int zero)
{
  tsr_ilp_row(problem->ilp)[1 + zero] = 1;
  if (tsr_ilp_commit(problem->ilp, true) < 0)
    return isl_stat_error;
  for (int i = 0; i < problem->graph->n_edge; i++)
    if (tsr_edge_is_ordering(problem->graph->edge[i]) &&
        tsr_problem_add_edge(problem, problem->graph->edge[i], 1, TSR_SLACK_CARRY, zero) < 0)
      return isl_stat_error;
  return isl_stat_ok;
}

/* Is there a row, parallel to row R, that carries all dependences? It is appended. */
static isl_bool add_face(struct tsr_graph *graph, int r)
{
  struct tsr_problem *problem = tsr_problem_alloc(graph, 2, 2);
  isl_bool found = isl_bool_error;
  if (problem && tsr_problem_minimise_coefficients(problem) == isl_stat_ok &&
      tie(problem, problem->carry, r, 1) == isl_stat_ok && carry_all(problem, problem->carry + 1) == isl_stat_ok)
    found = tsr_problem_solve(problem, NULL);
  tsr_problem_free(problem);
  return found;
}

/* Append g for the rows R to R + N - 1: the smallest lambda first, then the closest ends. */
static isl_bool add_last(struct tsr_graph *graph, int r, int n)
{
  struct tsr_problem *problem = tsr_problem_alloc(graph, 1 + TSR_PROXIMITY_OBJECTIVES + 2, 1);
  isl_bool found = isl_bool_error;
  if (problem) {
    long *row = tsr_ilp_row(problem->ilp);
    row[1 + problem->carry] = 1;
    problem->n_lead = 1 + TSR_PROXIMITY_OBJECTIVES;
    if (tsr_problem_minimise(problem, row) == isl_stat_ok && tsr_build_proximity(problem, 0) == isl_stat_ok &&
        tsr_problem_minimise_coefficients(problem) == isl_stat_ok && tie(problem, problem->carry, r, n) == isl_stat_ok &&
        tsr_build_validity(problem, TSR_EDGE_VALIDITY, 0) == isl_stat_ok)
      found = tsr_problem_solve(problem, NULL);
  }
  tsr_problem_free(problem);
  return found;
}

static isl_stat truncate(struct tsr_graph *graph, int n_row)
{
  for (int i = 0; i < graph->n_node; i++)
    if (tsr_node_truncate(graph->node[i], n_row) < 0)
      return isl_stat_error;
  return isl_stat_ok;
}

isl_bool tsr_diamond_find(struct tsr_graph *graph, const struct tsr_band *band, int n)
{
  int end = band->first + band->n;
  if (n < 2 || band->n < n || graph->n_edge == 0)
    return isl_bool_false;
  for (int i = 0; i < band->n; i++)
    if (band->coincident[i])
      return isl_bool_false;
  isl_bool found = is_face(graph, band->first);
  if (found == isl_bool_true)
    found = add_face(graph, band->first);
  if (found == isl_bool_true)
    found = truncate(graph, end) < 0 ? isl_bool_error : add_last(graph, band->first, n);
  return found;
}

/* requires: BAND is the last one of GRAPH's nodes, which still has the dependences that it carries; NODE is a leaf.
 * guarantees: the nodes' rows are as before. */
isl_schedule_node *tsr_diamond_insert(isl_schedule_node *node, struct tsr_graph *graph, const struct tsr_band *band)
{
  bool none[TSR_MAX_DIM] = {false};
  isl_bool found = tsr_diamond_find(graph, band, 2);
  if (found < 0)
    return isl_schedule_node_free(node);
  if (found == isl_bool_false)
    return node;
  node = isl_schedule_node_insert_mark(node, isl_id_alloc(graph->ctx, TSR_CONCURRENT_START, NULL));
  node = tsr_tree_insert_band(isl_schedule_node_child(node, 0), graph, band->first + 1, band->n, none);
  node = tsr_band_move_member(isl_schedule_node_parent(node), band->n - 1, 1);
  node = isl_schedule_node_child(node, 0);
  return truncate(graph, band->first + band->n) < 0 ? isl_schedule_node_free(node) : node;
}
