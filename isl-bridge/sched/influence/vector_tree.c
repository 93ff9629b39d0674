/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Influence trees for vector loads and stores (bastoul-cgo22, section V, Algorithm 2).
 *
 * For each statement, from the innermost dimension outwards, the iterator d with the highest
 *
 *     cost(d) = w1 |Vw| + w2 |Vr| + w3 / M + w4 |C| + w5 F L / N
 *
 * is chosen: Vw, Vr the stores and loads that d can vectorise (constant or contiguous along d; only for the innermost one),
 * M the smallest stride of any access along d, C the accesses with that stride, N the iterations of d, F = 1 if N < L, L the
 * threads that are left. (The paper leaves M = 0 open, an access that d doesn't move: 1 / M is
 * then the number of accesses, so that it outweighs any |C|. L is divided by N once d is taken, for each
 * statement on its own.) The list of one statement is a scenario for it; the next best innermost iterators make further
 * ones.
 *
 *     scenario (i, k, j) of Y[i, j, k], 3 rows:    row 0: j = 0, k = 0     row 1: j = 0, k = 1     row 2: j = 1, others 0
 *
 * Only statements with the most iterators are restrained; how the others go with them is the scheduler's business. Variants
 * of a scenario, from the best:  fused (along each dependence between statements that wants to be short, the distance is 0
 * in all rows but the last);  alone;  relaxed (only the innermost row).  Scenarios are sorted by their costs. */
#include "sched/influence/influence.h"
#include <isl/ilp.h>
#include <isl/local_space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* What a number of iterations that depends on parameters is taken for, and a stride over rows. */
#define UNKNOWN_SIZE 1000.0
#define MAX_INNER 3

/* One statement's choices. */
struct plan {
  int stmt, n; /* index in the SCoP; iterators */
  double size[TSR_MAX_DIM];
  int order[TSR_MAX_DIM]; /* iterators by their cost as the innermost one, the best first */
  double cost[TSR_MAX_DIM];
};

struct builder {
  const struct tsr_sched_input *input;
  const struct tsr_vector_target *target;
  struct tsr_graph *graph;
  struct plan *plan;
  int n_plan, depth; /* statements with the most iterators; how many those are */
  struct tsr_influence *root;
};

/* ---- strides and sizes ---- */

/* How far one step of iterator D moves ACCESS, in elements; rows count as UNKNOWN_SIZE, what isn't affine as more. */
static double stride(const struct tsr_access *access, int d)
{
  double moved = 0;
  if (isl_map_is_single_valued(access->relation) != isl_bool_true)
    return UNKNOWN_SIZE * UNKNOWN_SIZE;
  isl_pw_multi_aff *function = isl_pw_multi_aff_from_map(isl_map_copy(access->relation));
  isl_size n = isl_pw_multi_aff_dim(function, isl_dim_out);
  bool plain = n >= 0 && isl_pw_multi_aff_isa_multi_aff(function) == isl_bool_true;
  isl_multi_aff *affine = plain ? isl_pw_multi_aff_as_multi_aff(function) : NULL;
  if (!plain)
    isl_pw_multi_aff_free(function);
  for (int i = 0; plain && i < n; i++) {
    isl_aff *aff = isl_multi_aff_get_at(affine, i);
    isl_val *step = isl_aff_get_coefficient_val(aff, isl_dim_in, d);
    isl_size n_div = isl_aff_dim(aff, isl_dim_div);
    plain = n_div == 0;
    moved = moved * UNKNOWN_SIZE + isl_val_get_d(step);
    isl_val_free(step);
    isl_aff_free(aff);
  }
  isl_multi_aff_free(affine);
  return plain ? (moved < 0 ? -moved : moved) : UNKNOWN_SIZE * UNKNOWN_SIZE;
}

/* The number of iterations of D over DOMAIN. */
static double size_of(isl_set *domain, int d)
{
  isl_aff *iterator = isl_aff_var_on_domain(isl_local_space_from_space(isl_set_get_space(domain)), isl_dim_set, d);
  isl_val *size = isl_val_sub(isl_set_max_val(domain, iterator), isl_set_min_val(domain, iterator));
  size = isl_val_add_ui(size, 1);
  isl_aff_free(iterator);
  double result = isl_val_is_int(size) == isl_bool_true ? isl_val_get_d(size) : UNKNOWN_SIZE;
  isl_val_free(size);
  return result < 1 ? 1 : result;
}

/* ---- Algorithm 2 ---- */

/* The cost function for iterator D of STMT; INNERMOST: |D| in the paper's terms; LEFT: the threads that are left. */
static double cost(const struct tsr_vector_target *target, struct tsr_stmt *stmt, int d, bool innermost, double size,
                   double left)
{
  double least = -1;
  int n_write = 0, n_read = 0, n_least = 0;
  for (int i = 0; i < stmt->n_access; i++) {
    double s = stride(&stmt->access[i], d);
    n_least = least < 0 || s < least ? 1 : n_least + (s == least);
    least = least < 0 || s < least ? s : least;
    if (s <= 1)
      *(stmt->access[i].kind == TSR_READ ? &n_read : &n_write) += innermost;
  }
  double threads = size < left ? left / size : 0;
  return target->weight[0] * n_write + target->weight[1] * n_read +
         target->weight[2] * (least < 1 ? stmt->n_access : 1 / least) + target->weight[3] * n_least +
         target->weight[4] * threads;
}

/* The order of the iterators of PLAN as the innermost one. Ties go to the one that is further in. */
static void rank_innermost(struct builder *builder, struct plan *plan)
{
  struct tsr_stmt *stmt = &builder->input->scop->stmts[plan->stmt];
  for (int d = plan->n - 1, n = 0; d >= 0; d--, n++) {
    double c = cost(builder->target, stmt, d, true, plan->size[d], builder->target->threads);
    int at = n;
    for (; at > 0 && plan->cost[at - 1] < c; at--) {
      plan->cost[at] = plan->cost[at - 1];
      plan->order[at] = plan->order[at - 1];
    }
    plan->cost[at] = c;
    plan->order[at] = d;
  }
}

/* INNER receives the list with the CHOICE-th best innermost iterator, from the innermost outwards; its length. */
static int choose(struct builder *builder, struct plan *plan, int choice, int inner[MAX_INNER])
{
  struct tsr_stmt *stmt = &builder->input->scop->stmts[plan->stmt];
  bool taken[TSR_MAX_DIM] = {false};
  double left = builder->target->threads;
  int n = 0;
  inner[n++] = plan->order[choice < plan->n ? choice : plan->n - 1];
  while (n < MAX_INNER && n < builder->target->n_inner && n < plan->n) {
    int best = -1;
    double best_cost = 0;
    taken[inner[n - 1]] = true;
    left /= plan->size[inner[n - 1]];
    for (int d = plan->n - 1; d >= 0; d--) {
      double c = taken[d] ? 0 : cost(builder->target, stmt, d, false, plan->size[d], left);
      if (!taken[d] && (best < 0 || c > best_cost)) {
        best = d;
        best_cost = c;
      }
    }
    inner[n++] = best;
  }
  return n;
}

/* ---- from scenarios to constraints ---- */

static isl_stat fix(struct tsr_influence *node, int stmt, int iterator, long value)
{
  struct tsr_form *form = tsr_influence_constrain(node, true);
  if (!form)
    return isl_stat_error;
  form->constant = -value;
  return tsr_form_add(form, 1, stmt, node->depth, TSR_COEFFICIENT_ITERATOR, iterator, NULL);
}

/* Row NODE->depth of a statement whose innermost iterators are INNER. */
static isl_stat restrain(struct builder *builder, struct tsr_influence *node, const struct plan *plan, const int *inner,
                         int n_inner)
{
  int from_inside = builder->depth - 1 - node->depth;
  for (int i = 0; i < plan->n; i++) {
    int at = 0;
    while (at < n_inner && inner[at] != i)
      at++;
    bool is_here = at < n_inner && at == from_inside, is_further_in = at < n_inner && at < from_inside;
    bool is_innermost_row = from_inside == 0;
    if (!is_here && !is_further_in && !is_innermost_row)
      continue;
    if (fix(node, plan->stmt, i, is_here) < 0)
      return isl_stat_error;
  }
  return isl_stat_ok;
}

/* Add FACTOR times the coefficients of ROW, a line of a cone, at its places for NODE. */
static isl_stat add_side(struct builder *builder, struct tsr_form *form, struct tsr_node *node, int dimension, long factor,
                         const long *shared, const long *iterators)
{
  int stmt = tsr_scop_find_stmt(builder->input->scop, node->name);
  isl_stat ok = tsr_form_add(form, factor * shared[0], stmt, dimension, TSR_COEFFICIENT_CONSTANT, 0, NULL);
  for (int p = 0; p < node->n_param && ok == isl_stat_ok; p++)
    ok = tsr_form_add(form, factor * shared[1 + p], stmt, dimension, TSR_COEFFICIENT_PARAMETER, 0,
                      isl_space_get_dim_name(builder->graph->params, isl_dim_param, p));
  for (int i = 0; i < node->n && ok == isl_stat_ok; i++)
    ok = tsr_form_add(form, factor * iterators[i], stmt, dimension, TSR_COEFFICIENT_ITERATOR, i, NULL);
  return ok;
}

/* The ends of EDGE in one iteration of row NODE->depth: the distance is not positive, and validity does the rest. */
static isl_stat join(struct builder *builder, struct tsr_influence *node, struct tsr_edge *edge)
{
  if (tsr_edge_prepare(edge) < 0)
    return isl_stat_error;
  struct tsr_cone *cone = edge->cone;
  for (int k = 0; k < cone->n_eq + cone->n_ineq; k++) {
    bool equality = k < cone->n_eq;
    const long *row = equality ? cone->eq + (size_t)k * cone->width : cone->ineq + (size_t)(k - cone->n_eq) * cone->width;
    const long *of_src = row + 1 + edge->src->n_param, *of_dst = of_src + edge->src->n;
    /* f . (k, d, -c_S, c_T) is phi_T - phi_S; its opposite is wanted. */
    struct tsr_form *form = tsr_influence_constrain(node, equality);
    isl_stat ok = form ? add_side(builder, form, edge->dst, node->depth, -1, row, of_dst) : isl_stat_error;
    ok = ok == isl_stat_ok ? add_side(builder, form, edge->src, node->depth, 1, row, of_src) : ok;
    if (ok < 0)
      return ok;
  }
  return isl_stat_ok;
}

static bool wants_to_be_short(const struct tsr_edge *edge)
{
  return edge->src != edge->dst && (edge->kind & TSR_EDGE_PROXIMITY) && (edge->kind & TSR_EDGE_VALIDITY);
}

enum variant { VARIANT_FUSED, VARIANT_ALONE, VARIANT_RELAXED, N_VARIANT };

static isl_stat build_row(struct builder *builder, struct tsr_influence *node, int choice, enum variant variant)
{
  bool last = node->depth == builder->depth - 1;
  for (int p = 0; p < builder->n_plan; p++) {
    int inner[MAX_INNER];
    int n = choose(builder, &builder->plan[p], choice, inner);
    if (restrain(builder, node, &builder->plan[p], inner, variant == VARIANT_RELAXED ? 1 : n) < 0)
      return isl_stat_error;
  }
  for (int i = 0; i < builder->graph->n_edge && variant == VARIANT_FUSED && !last; i++)
    if (wants_to_be_short(builder->graph->edge[i]) && join(builder, node, builder->graph->edge[i]) < 0)
      return isl_stat_error;
  return isl_stat_ok;
}

/* A branch: a row below the other. */
static isl_stat build_branch(struct builder *builder, int choice, enum variant variant)
{
  static const char *const names[N_VARIANT] = {"fused", "alone", "relaxed"};
  char name[160];
  struct tsr_stmt *stmt = &builder->input->scop->stmts[builder->plan[0].stmt];
  int innermost = builder->plan[0].order[choice < builder->plan[0].n ? choice : builder->plan[0].n - 1];
  const char *iterator = isl_set_get_dim_name(stmt->domain, isl_dim_set, innermost);
  snprintf(name, sizeof(name), "%s innermost in %s, %s", iterator ? iterator : "?", stmt->name, names[variant]);
  struct tsr_influence *node = builder->root;
  for (int d = 0; d < builder->depth; d++) {
    node = tsr_influence_add(node, d == 0 ? name : NULL);
    if (!node || build_row(builder, node, choice, variant) < 0)
      return isl_stat_error;
    node->coincident = builder->target->coincident && d == builder->depth - 1 && variant != VARIANT_RELAXED;
  }
  return isl_stat_ok;
}

/* The statements with the most iterators. */
static isl_stat plan_all(struct builder *builder)
{
  struct tsr_scop *scop = builder->input->scop;
  struct tsr_graph *graph = builder->graph;
  for (int i = 0; i < graph->n_node; i++)
    builder->depth = graph->node[i]->n > builder->depth ? graph->node[i]->n : builder->depth;
  builder->plan = calloc(graph->n_node + 1, sizeof(*builder->plan));
  for (int i = 0; i < graph->n_node && builder->plan; i++) {
    struct tsr_node *node = graph->node[i];
    if (node->n < builder->depth || node->n > TSR_MAX_DIM)
      continue;
    struct plan *plan = &builder->plan[builder->n_plan++];
    plan->stmt = tsr_scop_find_stmt(scop, node->name);
    plan->n = node->n;
    for (int d = 0; d < node->n; d++)
      plan->size[d] = size_of(node->domain, d);
    rank_innermost(builder, plan);
  }
  return builder->plan ? isl_stat_ok : isl_stat_error;
}

struct tsr_influence *tsr_influence_vector(const struct tsr_sched_input *input, const struct tsr_vector_target *target)
{
  struct builder builder = {.input = input, .target = target, .graph = tsr_input_open(input)};
  if (!builder.graph)
    return NULL;
  builder.root = tsr_influence_add(NULL, NULL);
  isl_stat ok = builder.root ? plan_all(&builder) : isl_stat_error;
  int n_scenario = builder.depth < target->max_scenarios ? builder.depth : target->max_scenarios;
  for (int c = 0; c < n_scenario && ok == isl_stat_ok && builder.n_plan > 0; c++)
    for (int v = 0; v < N_VARIANT && ok == isl_stat_ok; v++)
      ok = build_branch(&builder, c, v);
  free(builder.plan);
  tsr_input_close(builder.graph);
  return ok == isl_stat_ok ? builder.root : tsr_influence_free(builder.root);
}
