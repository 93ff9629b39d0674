/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One row, as a strategy's rules want it: which builders make the problem, in which order its objectives stand, and what is
 * tried when it has no solution.
 *
 *     for each rule that fits:  coincident, if wished;  else not coincident, if that is allowed
 *
 * The coefficients of a user's forms are those of statements; for a cluster they are combinations of the rows of its band.
 */
#include "sched/influence/influence.h"
#include "sched/scheduler.h"
#include <stdlib.h>
#include <string.h>

/* What is solved. */
struct trial {
  struct tsr_graph *graph;
  const struct tsr_policy *policy;
  const struct tsr_rule *rule;
  int missing;
  bool needed; /* is a row that isn't coincident as good as none? */
  bool coincident;
};

/* Columns besides the usual ones: where those of each objective begin. */
struct layout {
  struct tsr_locality *locality; /* NULL if no objective needs it */
  int n_objective, n_aux;        /* at most */
  int aux[TSR_MAX_OBJECTIVES];
};

static bool needs_locality(const struct tsr_rule *rule)
{
  for (int i = 0; i < rule->n_objective; i++)
    if (rule->objective[i] == TSR_MINIMISE_LOCALITY || rule->objective[i] == TSR_MINIMISE_REUSE)
      return true;
  return false;
}

/* Count objectives and columns. */
static void lay_out(struct layout *layout, const struct tsr_rule *rule)
{
  for (int i = 0; i < rule->n_objective; i++) {
    int n_group = layout->locality ? tsr_locality_n_group(layout->locality) : 0;
    layout->aux[i] = layout->n_aux;
    switch (rule->objective[i]) {
    case TSR_MINIMISE_PROXIMITY:
    case TSR_MINIMISE_ALIGNMENT:
      layout->n_objective += TSR_PROXIMITY_OBJECTIVES;
      break;
    case TSR_MINIMISE_LOCALITY:
      layout->n_objective += 2 * tsr_locality_n_key(layout->locality);
      layout->n_aux += 2 * n_group;
      break;
    case TSR_MINIMISE_REUSE:
      layout->n_objective++;
      layout->n_aux += n_group;
      break;
    case TSR_MINIMISE_FORM:
      layout->n_objective++;
      layout->n_aux += 2;
      break;
    case TSR_MINIMISE_SHIFT:
    case TSR_MINIMISE_SIZE:
      layout->n_objective++;
      break;
    case TSR_MINIMISE_CARRY:
      break;
    }
  }
}

/* ---- forms ---- */

/* The node of the problem that stands for the statement with index STMT, and its own node; NULL if it has none. */
static struct tsr_node *find_holder(struct tsr_graph *graph, int stmt, struct tsr_node **own)
{
  for (int i = 0; i < graph->n_node; i++)
    for (int k = 0; k < tsr_node_n_member(graph->node[i]); k++) {
      *own = tsr_node_member(graph->node[i], k);
      if ((*own)->order == stmt)
        return graph->node[i];
    }
  return NULL;
}

/* FACTOR times the entry AT (k, d, c) of the next row of STMT. */
static void add_entry(struct tsr_problem *problem, long *row, struct tsr_node *holder, struct tsr_node *stmt, int at,
                      long factor)
{
  long weight[TSR_MAX_DIM] = {0};
  int base = 1 + stmt->n_param;
  if (at >= base) {
    weight[at - base] = factor;
    tsr_problem_add_coefficients(problem, row, holder, stmt, weight, 1);
    return;
  }
  row[1 + (at ? tsr_column_param(holder, at - 1) : tsr_column_constant(holder))] += factor;
  for (int i = 0; i < holder->n && holder != stmt; i++) {
    long f = factor * stmt->row[(size_t)(holder->first + i) * tsr_node_width(stmt) + at];
    row[1 + tsr_column_iterator(holder, i)] -= f;
    row[1 + tsr_column_iterator(holder, i) + 1] += f;
  }
}

/* Add FORM to ROW. False: it speaks of statements that aren't in the problem. */
static bool add_form(struct tsr_problem *problem, long *row, const struct tsr_form *form)
{
  struct tsr_graph *graph = problem->graph;
  row[0] += form->constant;
  for (int i = 0; i < form->n_term; i++) {
    const struct tsr_term *term = &form->term[i];
    struct tsr_node *stmt, *holder = find_holder(graph, term->stmt, &stmt);
    int at = 0;
    if (!holder || stmt->n > TSR_MAX_DIM)
      return false;
    if (term->kind == TSR_COEFFICIENT_ITERATOR)
      at = 1 + stmt->n_param + term->index;
    if (term->kind == TSR_COEFFICIENT_PARAMETER)
      at = 1 + isl_space_find_dim_by_name(graph->params, isl_dim_param, term->parameter);
    if (term->kind == TSR_COEFFICIENT_PARAMETER && at == 0)
      continue; /* a parameter that nothing here depends on: the coefficient is 0 */
    add_entry(problem, row, holder, stmt, at, term->factor);
  }
  return true;
}

/* minimise a + b with form = a - b in columns COLUMN and the next. */
static isl_stat minimise_form(struct tsr_problem *problem, const struct tsr_form *form, int column)
{
  long *row = tsr_ilp_row(problem->ilp);
  if (!add_form(problem, row, form))
    row = tsr_ilp_row(problem->ilp);
  row[1 + column] -= 1;
  row[1 + column + 1] += 1;
  if (tsr_ilp_commit(problem->ilp, true) < 0)
    return isl_stat_error;
  row = tsr_ilp_row(problem->ilp);
  row[1 + column] = row[1 + column + 1] = 1;
  return tsr_problem_minimise(problem, row);
}

static isl_stat build_wish(struct tsr_problem *problem, const struct tsr_influence *wish)
{
  for (int i = 0; wish && i < wish->n_constraint; i++) {
    long *row = tsr_ilp_row(problem->ilp);
    if (add_form(problem, row, &wish->constraint[i]) && tsr_ilp_commit(problem->ilp, wish->constraint[i].equality) < 0)
      return isl_stat_error;
  }
  return isl_stat_ok;
}

/* ---- the problem ---- */

/* The edges whose distance TRIAL makes zero. */
static unsigned zero_edges(const struct trial *trial)
{
  return TSR_EDGE_LOCAL | (trial->coincident ? TSR_EDGE_COINCIDENCE : 0);
}

static isl_stat build_objective(struct tsr_problem *problem, const struct trial *trial, const struct layout *layout, int i)
{
  const struct tsr_rule *rule = trial->rule;
  int column = problem->carry + layout->aux[i];
  switch (rule->objective[i]) {
  case TSR_MINIMISE_PROXIMITY:
    return tsr_build_proximity(problem, zero_edges(trial));
  case TSR_MINIMISE_ALIGNMENT:
    return tsr_build_alignment(problem, zero_edges(trial));
  case TSR_MINIMISE_LOCALITY:
    return tsr_build_locality(problem, layout->locality, column);
  case TSR_MINIMISE_REUSE:
    return tsr_build_reuse(problem, layout->locality, column);
  case TSR_MINIMISE_CARRY:
    return isl_stat_ok;
  case TSR_MINIMISE_SHIFT:
    return tsr_problem_minimise_shift(problem);
  case TSR_MINIMISE_SIZE:
    return tsr_problem_minimise_size(problem);
  case TSR_MINIMISE_FORM:
    return minimise_form(problem, &rule->wish->objective[rule->form[i]], column);
  }
  return isl_stat_error;
}

static isl_stat build(struct tsr_problem *problem, const struct trial *trial, const struct layout *layout)
{
  const struct tsr_rule *rule = trial->rule;
  problem->n_lead = 0; /* all objectives but a last `shift` and `size`: the solver need not prove those least */
  for (int i = 0; i < rule->n_objective; i++) {
    if (build_objective(problem, trial, layout, i) < 0)
      return isl_stat_error;
    if (rule->objective[i] != TSR_MINIMISE_SHIFT && rule->objective[i] != TSR_MINIMISE_SIZE)
      problem->n_lead = problem->used;
  }
  if (build_wish(problem, rule->wish) < 0 ||
      tsr_build_restrictions(problem, trial->coincident, rule->non_negative || trial->policy->non_negative) < 0 ||
      tsr_build_validity(problem, TSR_EDGE_VALIDITY, zero_edges(trial)) < 0)
    return isl_stat_error;
  return tsr_build_coincidence(problem, zero_edges(trial));
}

/* Append a row as TRIAL says. isl_bool_false: there is none. */
static isl_bool solve(const struct trial *trial)
{
  struct layout layout = {.locality = needs_locality(trial->rule) ? tsr_locality_alloc(trial->graph) : NULL};
  if (needs_locality(trial->rule) && !layout.locality)
    return isl_bool_error;
  lay_out(&layout, trial->rule);
  bool *needs_row = calloc(trial->graph->n_node + 1, sizeof(bool));
  struct tsr_problem *problem = tsr_problem_alloc(trial->graph, layout.n_objective, layout.n_aux);
  isl_bool found = isl_bool_error;
  if (needs_row && problem && build(problem, trial, &layout) == isl_stat_ok) {
    tsr_needs_row(trial->graph, trial->missing, needs_row);
    found = tsr_problem_solve(problem, needs_row);
  }
  tsr_problem_free(problem);
  tsr_locality_free(layout.locality);
  free(needs_row);
  return found;
}

static bool has_ordering_edge(struct tsr_graph *graph)
{
  for (int i = 0; i < graph->n_edge; i++)
    if (tsr_edge_is_ordering(graph->edge[i]))
      return true;
  return false;
}

/* Row R of all nodes: does it leave the ends of all edges that tell in one iteration? False if in doubt. */
static bool is_coincident(struct tsr_graph *graph, int r)
{
  for (int i = 0; i < graph->n_edge; i++) {
    struct tsr_edge *edge = graph->edge[i];
    if ((edge->kind & TSR_EDGE_COINCIDENCE) &&
        (tsr_edge_prepare(edge) < 0 || tsr_edge_may_be_negative(edge, r) || tsr_edge_may_be_positive(edge, r)))
      return false;
  }
  for (int i = 0; i < graph->n_node; i++) {
    struct tsr_node *node = graph->node[i];
    for (int k = 0; k < node->n && k < 32; k++)
      if ((node->serial >> k & 1) && node->row[(size_t)r * tsr_node_width(node) + 1 + node->n_param + k])
        return false;
  }
  return true;
}

/* Take the last row back: as good as none. */
static isl_bool withdraw(struct tsr_graph *graph)
{
  for (int i = 0; i < graph->n_node; i++)
    if (tsr_node_truncate(graph->node[i], graph->node[i]->n_row - 1) < 0)
      return isl_bool_error;
  return isl_bool_false;
}

/* Try TRIAL's rule. *COINCIDENT: as of tsr_row_compute. */
static isl_bool try_rule(struct trial *trial, int n_coincident, bool *coincident)
{
  const struct tsr_rule *rule = trial->rule;
  bool wanted = rule->coincidence == TSR_COINCIDENCE_REQUIRE || rule->coincidence == TSR_COINCIDENCE_PREFER ||
                (rule->coincidence == TSR_COINCIDENCE_ONE && n_coincident == 0);
  int r = trial->graph->n_node ? trial->graph->node[0]->n_row : 0;
  trial->coincident = wanted && *coincident;
  isl_bool found = trial->coincident ? solve(trial) : isl_bool_false;
  if (found == isl_bool_false && rule->coincidence != TSR_COINCIDENCE_REQUIRE && !(trial->coincident && trial->needed)) {
    trial->coincident = false;
    found = solve(trial);
  }
  if (found != isl_bool_true)
    return found;
  *coincident = trial->coincident || (!wanted && is_coincident(trial->graph, r));
  if (!rule->reuse || tsr_locality_carried(trial->graph, r))
    return isl_bool_true;
  return withdraw(trial->graph);
}

static bool is_carry(const struct tsr_rule *rule)
{
  return rule->n_objective && rule->objective[0] == TSR_MINIMISE_CARRY;
}

/* Are there more accesses than the strategy allows in one loop nest? */
static bool is_crowded(struct tsr_graph *graph, const struct tsr_policy *policy)
{
  return policy->register_limit && tsr_register_pressure(graph) > policy->register_limit;
}

/* Say WHAT the rule of TRIAL did for row ROW; of statements only, not of attempts to fuse. */
static void say(const struct trial *trial, int row, const char *what)
{
  char names[200] = "";
  struct tsr_graph *graph = trial->graph;
  if (!trial->policy->trace || !graph->n_node || graph->node[0]->member)
    return;
  for (int i = 0; i < graph->n_node; i++)
    snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i ? ", " : "", graph->node[i]->name);
  if (trial->rule->line)
    tsr_trace_say(trial->policy->trace, "row %d of %s: the rule in line %d %s", row, names, trial->rule->line, what);
  else
    tsr_trace_say(trial->policy->trace, "row %d of %s: the rule behind all others %s", row, names, what);
}

isl_bool tsr_row_compute(struct tsr_graph *graph, const struct tsr_policy *policy, int missing, bool first, int n_coincident,
                         bool needed, bool *coincident)
{
  int row = graph->n_outer + (graph->n_node ? graph->node[0]->n_row : 0);
  bool may_be = *coincident, may_carry = !policy->no_carry && has_ordering_edge(graph);
  struct trial trial = {.graph = graph, .policy = policy, .missing = missing, .needed = needed};
  for (int at = 0; (trial.rule = tsr_policy_rule(policy, row, missing, &at)); at++) {
    *coincident = may_be;
    if (is_carry(trial.rule) && may_carry) {
      say(&trial, row, "asks for Feautrier's step");
      return isl_bool_false;
    }
    isl_bool found = try_rule(&trial, n_coincident, coincident);
    if (found == isl_bool_true && first && !*coincident && may_carry && is_crowded(graph, policy))
      return withdraw(graph);
    say(&trial, row, found == isl_bool_true ? "applies" : "has no solution");
    if (found != isl_bool_false)
      return found;
  }
  return isl_bool_false;
}

const struct tsr_rule *tsr_fusion_rule(const struct tsr_policy *policy, int row, int missing)
{
  int at = 0;
  return tsr_policy_rule(policy, row, missing, &at);
}
