/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Influenced scheduling (bastoul-cgo22, Algorithm 1): a row at a time for all statements together, along an influence
 * constraint tree. Where no row is found, fallbacks in the paper's order, with its line numbers:
 *
 *   12  the branch asks for one more dimension than the dependences need   no progression for this dimension, once
 *   16  the node has a right sibling                                       take it
 *   21  the band has carried something                                     forget it: a new band starts here
 *   25  an ancestor has a right sibling                                    back to its dimension
 *   32  dependences lead from one component to another                     a scalar dimension that puts them in order
 *
 * Where the text would go round in circles it is corrected: 12 applies once at a node; 21 and 32 apply only if they take a
 * dependence away, and not at a node that asks to be permutable. When nothing applies, the tree is dropped and the
 * uninfluenced scheduler takes over; below a leaf, where no wish is left, Feautrier's step does.
 *
 * It ends. The walk through the tree never comes back to a node, so with T nodes there are at most T rows, T uses of 12, T
 * of 16 and 25, and as 21 and 32 need a new row or take an edge away, T of 21 and N + E of 32; below the leaf each round
 * either adds an independent row (at most M), carries an edge (E) or starts a band after one of these. So there are at
 * most 5 T + 2 (M + E) + N + E + 2 rounds (struct tsr_trace's bound, which a test watches). */
#include "support/message.h"
#include "sched/influence/influence.h"
#include <stdlib.h>
#include <string.h>

/* How live ranges of private scalars are kept in a band. */
enum ranges { RANGES_LOCAL, RANGES_ORDERED };

/* The state in front of a dimension. */
struct state {
  struct tsr_graph *graph; /* the dependences that rows must keep */
  int band, first;         /* the band at hand and its first row */
  enum ranges ranges;
};

/* A dimension that is done. */
struct level {
  struct state before; /* owned */
  int band;
  bool scalar, coincident;
};

struct run {
  const struct tsr_policy *policy;
  struct tsr_scop *scop;
  struct state now;
  struct tsr_influence *node; /* NULL: below a leaf */
  bool in_tree;               /* has no leaf been reached yet? */
  bool progress_dropped;      /* at this node */
  struct level *level;
  int d, n_level; /* dimensions done; capacity */
  struct tsr_trace *trace;
};

static const char *const fallback_text[] = {"an additional dimension, without progression",
                                            "the next alternative",
                                            "a new band",
                                            "back to an alternative of an outer dimension",
                                            "components apart, in a sequence",
                                            "no alternative is left: the tree is dropped"};

/* ---- the trace ---- */

/* NODE's name, or that of the branch it is in. */
static const char *node_name(const struct tsr_influence *node)
{
  while (node && !node->name)
    node = node->parent;
  return node ? node->name : "unnamed";
}

static void say_fallback(struct run *run, enum tsr_fallback fallback)
{
  run->trace->fallbacks |= 1u << fallback;
  if (run->in_tree)
    tsr_trace_say(run->trace, "dimension %d, branch '%s': no row keeps the dependences; %s", run->d, node_name(run->node),
                  fallback_text[fallback]);
}

/* ---- one row ---- */

static struct tsr_node *find_node(struct run *run, const char *name)
{
  for (int i = 0; i < run->now.graph->n_node; i++)
    if (!strcmp(run->now.graph->node[i]->name, name))
      return run->now.graph->node[i];
  return NULL;
}

static int find_parameter(struct run *run, const char *name)
{
  return isl_space_find_dim_by_name(run->now.graph->params, isl_dim_param, name);
}

/* The coefficient of an earlier row that TERM means. */
static long past_coefficient(struct run *run, struct tsr_node *node, const struct tsr_term *term)
{
  const long *row = node->row + term->dimension * tsr_node_width(node);
  int p = term->kind == TSR_COEFFICIENT_PARAMETER ? find_parameter(run, term->parameter) : 0;
  switch (term->kind) {
  case TSR_COEFFICIENT_CONSTANT:
    return row[0];
  case TSR_COEFFICIENT_PARAMETER:
    return p < 0 ? 0 : row[1 + p];
  case TSR_COEFFICIENT_ITERATOR:
    return row[1 + node->n_param + term->index];
  }
  return 0;
}

/* FORM as a row of PROBLEM. What a statement without instances or an unused parameter would add is zero. */
static void add_form(struct run *run, const struct tsr_form *form, long *row)
{
  row[0] += form->constant;
  for (int i = 0; i < form->n_term; i++) {
    const struct tsr_term *term = &form->term[i];
    struct tsr_node *node = find_node(run, run->scop->stmts[term->stmt].name);
    if (!node || (term->kind == TSR_COEFFICIENT_ITERATOR && term->index >= node->n))
      continue;
    if (term->dimension < run->d) {
      row[0] += term->factor * past_coefficient(run, node, term);
    } else if (term->kind == TSR_COEFFICIENT_CONSTANT) {
      row[1 + tsr_column_constant(node)] += term->factor;
    } else if (term->kind == TSR_COEFFICIENT_ITERATOR) {
      row[1 + tsr_column_iterator(node, term->index)] -= term->factor;
      row[1 + tsr_column_iterator(node, term->index) + 1] += term->factor;
    } else if (find_parameter(run, term->parameter) >= 0) {
      row[1 + tsr_column_param(node, find_parameter(run, term->parameter))] += term->factor;
    }
  }
}

/* minimise |form|: form = a - b, minimise a + b, with two auxiliary columns. */
static isl_stat build_objective(struct run *run, struct tsr_problem *problem, const struct tsr_form *form, int column)
{
  long *row = tsr_ilp_row(problem->ilp);
  add_form(run, form, row);
  row[1 + column] -= 1;
  row[1 + column + 1] += 1;
  if (tsr_ilp_commit(problem->ilp, true) < 0)
    return isl_stat_error;
  row = tsr_ilp_row(problem->ilp);
  row[1 + column] = row[1 + column + 1] = 1;
  return tsr_problem_minimise(problem, row);
}

static isl_stat build_influence(struct run *run, struct tsr_problem *problem)
{
  const struct tsr_influence *node = run->node;
  for (int i = 0; node && i < node->n_objective; i++)
    if (build_objective(run, problem, &node->objective[i], problem->carry + 2 * i) < 0)
      return isl_stat_error;
  for (int i = 0; node && i < node->n_constraint; i++) {
    add_form(run, &node->constraint[i], tsr_ilp_row(problem->ilp));
    if (tsr_ilp_commit(problem->ilp, node->constraint[i].equality) < 0)
      return isl_stat_error;
  }
  return isl_stat_ok;
}

/* Let the roles of scalars' live ranges follow from RANGES. */
static void set_ranges(struct tsr_graph *graph, enum ranges ranges)
{
  for (int i = 0; i < graph->n_edge; i++) {
    struct tsr_edge *edge = graph->edge[i];
    if (edge->kind & TSR_EDGE_CONDITION)
      edge->kind = (edge->kind & ~TSR_EDGE_LOCAL) | (ranges == RANGES_LOCAL ? TSR_EDGE_LOCAL : 0);
    if (edge->kind & TSR_EDGE_CONDITIONAL)
      edge->kind = (edge->kind & ~TSR_EDGE_VALIDITY) | (ranges == RANGES_ORDERED ? TSR_EDGE_VALIDITY : 0);
  }
}

static isl_bool solve(struct run *run, bool coincident)
{
  struct tsr_graph *graph = run->now.graph;
  unsigned zero = TSR_EDGE_LOCAL | (coincident ? TSR_EDGE_COINCIDENCE : 0);
  int n_objective = run->node ? run->node->n_objective : 0;
  bool *needs_row = calloc(graph->n_node + 1, sizeof(bool));
  struct tsr_problem *problem = tsr_problem_alloc(graph, n_objective + TSR_PROXIMITY_OBJECTIVES + 2, 2 * n_objective);
  isl_bool found = isl_bool_error;
  if (needs_row && problem && build_influence(run, problem) == isl_stat_ok &&
      tsr_build_proximity(problem, zero) == isl_stat_ok && tsr_problem_minimise_coefficients(problem) == isl_stat_ok &&
      tsr_build_restrictions(problem, coincident, run->policy->non_negative) == isl_stat_ok &&
      tsr_build_validity(problem, TSR_EDGE_VALIDITY, zero) == isl_stat_ok &&
      tsr_build_coincidence(problem, zero) == isl_stat_ok) {
    problem->n_lead = n_objective + TSR_PROXIMITY_OBJECTIVES;
    tsr_needs_row(graph, tsr_graph_missing(graph), needs_row);
    found = tsr_problem_solve(problem, run->progress_dropped ? NULL : needs_row);
  }
  tsr_problem_free(problem);
  free(needs_row);
  return found;
}

/* A row for the dimension at hand; *COINCIDENT: is it so? The kind of live ranges is the band's, chosen by its first row. */
static isl_bool find_row(struct run *run, bool *coincident)
{
  bool must = run->node && run->node->coincident;
  for (enum ranges ranges = run->now.ranges;; ranges = RANGES_ORDERED) {
    set_ranges(run->now.graph, ranges);
    *coincident = true;
    isl_bool found = tsr_fusion_rule(run->policy, 0, 1)->coincidence != TSR_COINCIDENCE_IGNORE || must ? solve(run, true)
                                                                                                       : isl_bool_false;
    if (found == isl_bool_false && !must) {
      *coincident = false;
      found = solve(run, false);
    }
    if (found == isl_bool_true)
      run->now.ranges = ranges;
    if (found != isl_bool_false || ranges == RANGES_ORDERED || run->now.first < run->d)
      return found;
  }
}

/* ---- moving on and back ---- */

static isl_stat push_level(struct run *run, const struct state *before, bool scalar, bool coincident)
{
  if (run->d == run->n_level) {
    int n = run->n_level ? 2 * run->n_level : 16;
    struct level *grown = realloc(run->level, sizeof(*grown) * n);
    if (!grown)
      return isl_stat_error;
    run->level = grown;
    run->n_level = n;
  }
  run->level[run->d++] =
      (struct level){.before = *before, .band = run->now.band, .scalar = scalar, .coincident = coincident};
  return isl_stat_ok;
}

/* Dimension d is done: on to the first alternative for the next. */
static void descend(struct run *run)
{
  run->progress_dropped = false;
  if (!run->node)
    return;
  const char *branch = node_name(run->node);
  run->node = run->node->child;
  if (run->node)
    return;
  run->in_tree = false;
  run->trace->followed = true;
  tsr_trace_say(run->trace, "branch '%s' was followed to its end, %d dimensions", branch, run->d);
}

/* Forget what the rows of the band carry; the next row starts a new band. */
static isl_stat start_band(struct run *run)
{
  isl_stat ok = tsr_graph_drop_carried(run->now.graph, run->now.first);
  run->now.band++;
  run->now.first = run->d;
  run->now.ranges = RANGES_LOCAL;
  return ok;
}

/* Withdraw all dimensions from D on. */
static isl_stat withdraw(struct run *run, int d)
{
  tsr_graph_free(run->now.graph);
  for (int i = run->d - 1; i > d; i--)
    tsr_graph_free(run->level[i].before.graph);
  run->now = run->level[d].before;
  run->d = d;
  for (int i = 0; i < run->now.graph->n_node; i++)
    if (tsr_node_truncate(run->now.graph->node[i], d) < 0)
      return isl_stat_error;
  return isl_stat_ok;
}

static bool all_satisfied(struct run *run)
{
  struct tsr_graph *open = tsr_graph_copy(run->now.graph);
  if (!open || tsr_graph_drop_carried(open, run->now.first) < 0) {
    tsr_graph_free(open);
    return false;
  }
  bool none = true;
  for (int i = 0; i < open->n_edge; i++)
    none = none && !tsr_edge_is_ordering(open->edge[i]);
  tsr_graph_free(open);
  return none;
}

/* Does an ordering edge link two components? Marks tell them apart. */
static bool has_separable_components(struct tsr_graph *graph)
{
  if (tsr_graph_strong_components(graph) < 2)
    return false;
  for (int i = 0; i < graph->n_edge; i++)
    if (tsr_edge_is_ordering(graph->edge[i]) && graph->edge[i]->src->mark != graph->edge[i]->dst->mark)
      return true;
  return false;
}

/* A row that is the number of the component: later ones run later. */
static isl_stat add_scalar_row(struct run *run)
{
  struct tsr_graph *graph = run->now.graph;
  isl_size n = tsr_graph_strong_components(graph);
  if (n < 0 || tsr_graph_order_groups(graph, n) < 0)
    return isl_stat_error;
  tsr_graph_fix_crossing_ranges(graph);
  for (int i = 0; i < graph->n_node; i++) {
    struct tsr_node *node = graph->node[i];
    long *row = calloc(tsr_node_width(node), sizeof(long));
    if (!row)
      return isl_stat_error;
    row[0] = node->mark;
    isl_stat ok = tsr_node_add_row(node, row);
    free(row);
    if (ok < 0)
      return isl_stat_error;
  }
  return isl_stat_ok;
}

/* Components in a sequence, as a dimension of its own. */
static isl_stat separate(struct run *run)
{
  if (start_band(run) < 0)
    return isl_stat_error;
  struct state before = run->now;
  before.graph = tsr_graph_copy(run->now.graph);
  if (!before.graph || add_scalar_row(run) < 0 || push_level(run, &before, true, false) < 0) {
    tsr_graph_free(before.graph);
    return isl_stat_error;
  }
  return start_band(run);
}

static isl_stat carry(struct run *run)
{
  if (start_band(run) < 0)
    return isl_stat_error;
  struct state before = run->now;
  before.graph = tsr_graph_copy(run->now.graph);
  set_ranges(run->now.graph, RANGES_ORDERED);
  isl_bool carried = before.graph ? tsr_feautrier_row(run->now.graph) : isl_bool_error;
  if (carried != isl_bool_true || push_level(run, &before, false, false) < 0) {
    tsr_graph_free(before.graph);
    return isl_stat_error;
  }
  return start_band(run);
}

static struct tsr_influence *alternative_of_ancestor(struct tsr_influence *node)
{
  for (node = node->parent; node; node = node->parent)
    if (node->next)
      return node->next;
  return NULL;
}

/* ---- the loop ---- */

enum step { STEP_ON, STEP_DROP, STEP_ERROR };

/* No row was found. Lines 12 to 36. */
static enum step fall_back(struct run *run)
{
  struct tsr_influence *node = run->node;
  bool bound = node && node->permutable;
  if (node && !run->progress_dropped && all_satisfied(run)) {
    say_fallback(run, TSR_FALLBACK_PROGRESSION);
    run->progress_dropped = true;
    return STEP_ON;
  }
  if (node && node->next) {
    say_fallback(run, TSR_FALLBACK_SIBLING);
    run->node = node->next;
    run->progress_dropped = false;
    return STEP_ON;
  }
  if (!bound && run->now.first < run->d && tsr_graph_carries(run->now.graph, run->now.first)) {
    say_fallback(run, TSR_FALLBACK_PERMUTABLE);
    return start_band(run) < 0 ? STEP_ERROR : STEP_ON;
  }
  if (node && alternative_of_ancestor(node)) {
    say_fallback(run, TSR_FALLBACK_ANCESTOR);
    run->node = alternative_of_ancestor(node);
    run->progress_dropped = false;
    return withdraw(run, run->node->depth) < 0 ? STEP_ERROR : STEP_ON;
  }
  if (!bound && has_separable_components(run->now.graph)) {
    say_fallback(run, TSR_FALLBACK_COMPONENTS);
    if (separate(run) < 0)
      return STEP_ERROR;
    descend(run);
    return STEP_ON;
  }
  if (node) {
    say_fallback(run, TSR_FALLBACK_DROPPED);
    return STEP_DROP;
  }
  return carry(run) < 0 ? STEP_ERROR : STEP_ON;
}

/* One round: a row, or a fallback. */
static enum step step(struct run *run)
{
  bool coincident;
  struct state before = run->now;
  before.graph = tsr_graph_copy(run->now.graph);
  isl_bool found = before.graph ? find_row(run, &coincident) : isl_bool_error;
  if (found == isl_bool_true && push_level(run, &before, false, coincident) == isl_stat_ok) {
    descend(run);
    return STEP_ON;
  }
  tsr_graph_free(before.graph);
  return found == isl_bool_false ? fall_back(run) : STEP_ERROR;
}

/* What is left when every instance of a statement has its own date: an order of the statements. Where it differs from one
 * date to another, a dependent row has to tell first. */
static isl_stat finish(struct run *run)
{
  for (;;) {
    if (start_band(run) < 0)
      return isl_stat_error;
    isl_size n = tsr_graph_strong_components(run->now.graph);
    if (n < 0 || n == run->now.graph->n_node)
      return n > 1 ? separate(run) : n < 0 ? isl_stat_error : isl_stat_ok;
    if (carry(run) < 0)
      return isl_stat_error;
  }
}

static int count_nodes(const struct tsr_influence *node)
{
  int n = 0;
  for (; node; node = node->next)
    n += 1 + count_nodes(node->child);
  return n;
}

static enum step walk(struct run *run)
{
  struct tsr_graph *graph = run->now.graph;
  int n_tree = count_nodes(run->node);
  run->trace->bound = 5 * n_tree + 2 * (tsr_graph_missing(graph) + graph->n_edge) + graph->n_node + graph->n_edge + 2;
  while (run->node || tsr_graph_missing(run->now.graph) > 0) {
    if (++run->trace->n_round > run->trace->bound)
      isl_die(run->now.graph->ctx, isl_error_internal, "influenced scheduling does not end", return STEP_ERROR);
    enum step next = step(run);
    if (next != STEP_ON)
      return next;
  }
  return finish(run) < 0 ? STEP_ERROR : STEP_ON;
}

/* ---- output ---- */

static isl_schedule_node *write_levels(isl_schedule_node *node, struct run *run, struct tsr_graph *part, int d);

/* Level D is scalar: a sequence of the nodes with equal values. */
static isl_schedule_node *write_sequence(isl_schedule_node *node, struct run *run, struct tsr_graph *part, int d)
{
  int n = 0, last = -1;
  for (int value = 0; value <= run->now.graph->n_node; value++)
    for (int i = 0; i < part->n_node; i++)
      if (part->node[i]->row[d * tsr_node_width(part->node[i])] == value) {
        n += value != last;
        last = value;
        part->node[i]->mark = n - 1;
      }
  if (n < 2)
    return write_levels(node, run, part, d + 1);
  node = tsr_tree_insert_sequence(node, part, n);
  for (int g = 0; g < n && node; g++) {
    int depth = isl_schedule_node_get_tree_depth(node);
    struct tsr_graph *group = tsr_graph_view(part, g);
    int *mark = calloc(part->n_node + 1, sizeof(int));
    for (int i = 0; mark && i < part->n_node; i++)
      mark[i] = part->node[i]->mark;
    node = isl_schedule_node_grandchild(node, g, 0);
    node = group && mark ? write_levels(node, run, group, d + 1) : isl_schedule_node_free(node);
    for (int i = 0; mark && i < part->n_node; i++)
      part->node[i]->mark = mark[i];
    free(mark);
    tsr_graph_free(group);
    if (node)
      node = isl_schedule_node_ancestor(node, isl_schedule_node_get_tree_depth(node) - depth);
  }
  return node;
}

/* Levels from D on, for the nodes of PART, at the leaf NODE. */
static isl_schedule_node *write_levels(isl_schedule_node *node, struct run *run, struct tsr_graph *part, int d)
{
  bool coincident[TSR_MAX_DIM];
  int n = 0;
  if (d >= run->d)
    return node;
  if (run->level[d].scalar)
    return write_sequence(node, run, part, d);
  for (; d + n < run->d && n < TSR_MAX_DIM && !run->level[d + n].scalar && run->level[d + n].band == run->level[d].band; n++)
    coincident[n] = run->level[d + n].coincident;
  node = tsr_tree_insert_band(node, part, d, n, coincident);
  return write_levels(node, run, part, d + n);
}

static isl_schedule *write_schedule(struct run *run, isl_union_set *domain)
{
  isl_schedule_node *root = isl_schedule_node_from_domain(isl_union_set_copy(domain));
  root = write_levels(isl_schedule_node_child(root, 0), run, run->now.graph, 0);
  isl_schedule *schedule = root ? isl_schedule_node_get_schedule(root) : NULL;
  isl_schedule_node_free(root);
  return schedule;
}

/* requires: TREE's statements are those of INPUT's SCoP.
 * on failure: NULL; an exhausted budget is one, an infeasible tree is none. */
isl_schedule *tsr_sched_compute_influenced(const struct tsr_sched_input *input, const struct tsr_policy *policy,
                                           struct tsr_influence *tree, struct tsr_trace *trace)
{
  struct tsr_trace local = {0};
  struct tsr_graph *graph = tsr_input_open(input);
  if (!graph)
    return NULL;
  struct run run = {.policy = policy, .scop = input->scop, .node = tree->child, .trace = trace ? trace : &local};
  run.now.graph = tsr_graph_copy(graph);
  run.in_tree = run.node;
  enum step end = run.now.graph ? walk(&run) : STEP_ERROR;
  isl_schedule *schedule = end == STEP_ON ? write_schedule(&run, input->domain) : NULL;
  tsr_graph_free(run.now.graph);
  for (int i = 0; i < run.d; i++)
    tsr_graph_free(run.level[i].before.graph);
  free(run.level);
  tsr_input_close(graph);
  if (!trace)
    free(local.text);
  if (!schedule && isl_ctx_last_error(input->scop->ctx) != isl_error_quota) {
    isl_ctx_reset_error(input->scop->ctx);
    schedule = tsr_sched_compute(input, policy);
  }
  return schedule;
}
