/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random SCoPs and random trees for them: what the checker calls legal must leave the same memory when interpreted, and
 * so must whatever the pipeline makes. The reverse doesn't hold (a dependence may not show at small sizes), but of the
 * trees that run alike some must pass the checker. Random influence trees (feasible, infeasible, contradictory, huge) must
 * leave a legal schedule, found within the number of rounds that the scheduler states.
 *
 * unit_random [FIRST LAST]: the seeds to try. A failure prints the SCoP as a file, the tree and the reason. */
#include "random_scop.h"
#include "sched/influence/influence.h"
#include <isl/options.h>
#include <stdlib.h>

/* A random tree: marks, a random member, and then a total order. */
static void make_tree(struct random *r)
{
  static const char *const marks[] = {"", "mark: parallel, child: { ", "mark: vector, child: { "};
  r->used = 0;
  add_domain(r);
  int mark = pick(r, 3);
  add(r, "{ %s", marks[mark]);
  add_member(r, 0, r->n_stmt - 1, NULL);
  add(r, ", child: ");
  add_sequence(r, pick(r, 2), pick(r, r->n_stmt));
  add(r, " }%s }\n", mark ? " }" : "");
}

/* A constraint or, without RELATION, an objective on the rows up to DEPTH, such as "2 S0[0].i - S1.n + 1 >= 0". */
static void add_wish(struct random *r, int depth, bool relation)
{
  static const char *const relations[] = {"==", "==", ">=", "<="};
  static const char *const others[] = {"n", "m", "1"};
  for (int k = 0, n = 1 + pick(r, 3); k < n; k++) {
    int s = pick(r, r->n_stmt);
    long factor = pick(r, 60) == 0 ? 999999999 : 1 + pick(r, 2);
    const char *name = r->depth[s] && pick(r, 4) ? iterators[pick(r, r->depth[s])] : others[pick(r, 3)];
    add(r, "%s%ld S%d[%d].%s", k ? (pick(r, 2) ? " + " : " - ") : "", factor, s, pick(r, depth + 1), name);
  }
  if (relation)
    add(r, " %s %d", relations[pick(r, 4)], pick(r, 3));
}

/* A list of branches, at most LEVELS deep. */
static void add_branches(struct random *r, int depth, int levels)
{
  int n = pick(r, 100) == 0 ? 40 : 1 + pick(r, 3);
  add(r, "[ ");
  for (int k = 0; k < n; k++) {
    add(r, "%s{ name: b%d.%d", k ? ", " : "", depth, k);
    for (int list = 0; list < 2; list++) {
      add(r, ", %s: [ ", list ? "minimise" : "constraints");
      for (int i = 0, wishes = list ? pick(r, 5) == 0 : pick(r, 4); i < wishes; i++) {
        add(r, "%s\"", i ? ", " : "");
        add_wish(r, depth, !list);
        add(r, "\"");
      }
      add(r, " ]");
    }
    add(r, ", coincident: %s, permutable: %s", pick(r, 4) ? "false" : "true", pick(r, 4) ? "false" : "true");
    if (levels > 1 && pick(r, 3)) {
      add(r, ", branches: ");
      add_branches(r, depth + 1, n > 3 ? 1 : levels - 1);
    }
    add(r, " }");
  }
  add(r, " ]");
}

static void report(struct tsr_scop *scop, isl_schedule *tree, const char *why)
{
  tsr_scop_write(scop, stderr);
  tsr_print_schedule(tree, stderr);
  fprintf(stderr, "%s\n\n", why ? why : "isl failed");
}

/* Does TREE leave the same memory? */
static isl_bool runs_alike(struct tsr_scop *scop, isl_schedule *tree, char **why)
{
  int n_run = 0;
  isl_ast_node *ast = tsr_ast_build(scop, tree);
  isl_bool same = ast ? tsr_interp_sweep(scop, ast, LIMIT, &n_run, why) : isl_bool_error;
  isl_ast_node_free(ast);
  return same;
}

/* How often influence trees were followed, and which fallbacks were taken. */
static int followed, exhausted, taken[TSR_FALLBACK_DROPPED + 1];

static void test_influence(struct tsr_scop *scop, const struct tsr_sched_input *input, const char *text)
{
  char *error = NULL, *why = NULL;
  bool applies;
  struct tsr_trace trace = {0};
  struct tsr_policy *policy = tsr_policy_builtin(input->scop, "pluto");
  FILE *in = open_text(text);
  struct tsr_influence *tree = tsr_influence_read(scop, in, "tree", &applies, &error);
  fclose(in);
  if (!CHECK(tree != NULL))
    fprintf(stderr, "%s\n%s\n", error, text);
  tsr_budget_begin(scop->ctx, 1000000);
  isl_schedule *schedule = tree ? tsr_sched_compute_influenced(input, policy, tree, &trace) : NULL;
  bool out_of_budget = !schedule && isl_ctx_last_error(scop->ctx) == isl_error_quota;
  tsr_budget_end(scop->ctx);
  exhausted += out_of_budget;
  if (!out_of_budget && !CHECK(schedule && tsr_check_schedule(scop, schedule, &why) == isl_bool_true))
    fprintf(stderr, "%s\n%s\n%s\n", why ? why : isl_ctx_last_error_msg(scop->ctx), text, trace.text);
  CHECK(trace.n_round <= trace.bound);
  followed += trace.followed;
  for (int k = 0; k <= TSR_FALLBACK_DROPPED; k++)
    taken[k] += trace.fallbacks >> k & 1;
  isl_schedule_free(schedule);
  tsr_influence_free(tree);
  tsr_policy_free(policy);
  free(trace.text);
  free(error);
  free(why);
}

/* N random trees for SCOP. */
static void test_influences(struct tsr_scop *scop, struct random *r, int n)
{
  struct tsr_deps *deps = tsr_deps_compute(scop);
  struct tsr_sched_input input = {.scop = scop, .domain = tsr_scop_domain(scop), .cond = deps->cond};
  input.cond_validity = deps->cond_validity;
  input.proximity = isl_union_map_union(isl_union_map_copy(deps->flow), isl_union_map_copy(deps->anti));
  input.validity = isl_union_map_union(isl_union_map_copy(input.proximity), isl_union_map_copy(deps->output));
  input.coincidence = input.validity;
  for (int k = 0; k < n; k++) {
    r->used = 0;
    add(r, "branches: ");
    add_branches(r, 0, 4);
    if (r->used < sizeof(r->text) - 200) /* else it was cut off */
      test_influence(scop, &input, r->text);
  }
  isl_union_set_free(input.domain);
  isl_union_map_free(input.proximity);
  isl_union_map_free(input.validity);
  tsr_deps_free(deps);
}

/* How often checker and interpreter said what: [legal][same] */
static int outcomes[2][2];
/* How many trees are legal with relaxed reductions alone, with exact ones among them. */
static int n_relaxed, n_exact;

static void test_tree(struct tsr_scop *scop, isl_schedule *tree)
{
  char *why = NULL;
  isl_bool legal = tsr_check_schedule(scop, tree, NULL), relaxed = tsr_check_schedule_relaxed(scop, tree, NULL);
  isl_bool exact = tsr_check_schedule_exact(scop, tree, NULL);
  isl_bool same = runs_alike(scop, tree, &why);
  CHECK(legal >= 0 && exact >= 0 && relaxed >= 0 && same >= 0);
  /* The interpreter's reductions commute: relaxed is right about them, too, and asks for no more than the strict check. */
  if (!CHECK(!(relaxed == isl_bool_true && same == isl_bool_false) && relaxed >= exact && exact >= legal))
    report(scop, tree, why);
  n_relaxed += relaxed > legal;
  n_exact += exact > legal;
  outcomes[legal == isl_bool_true][same == isl_bool_true]++;
  free(why);
}

static void test_pipeline(struct tsr_scop *scop, const char *text)
{
  char *why = NULL;
  struct tsr_options options;
  tsr_options_init(&options);
  CHECK(tsr_options_parse(&options, text, " ", NULL) == isl_stat_ok);
  struct tsr_result *result = tsr_pipeline_run(scop, &options, 0, TSR_STAGE_AST);
  bool good = CHECK(result->verdict == TSR_OK && result->variant[0].tree);
  isl_bool same = result->variant[0].tree ? runs_alike(scop, result->variant[0].tree, &why) : isl_bool_false;
  if (!CHECK(same == isl_bool_true) || !good)
    report(scop, result->variant[0].tree, why ? why : result->why);
  tsr_result_free(result);
  tsr_options_clear(&options);
  free(why);
}

static int n_seated; /* SCoPs whose statements sit in plain loops */

/* { S -> T : S runs before T } within the domains, by the schedule as a relation. */
static isl_union_map *order_by_schedule(struct tsr_scop *scop)
{
  isl_union_map *times = isl_union_map_intersect_domain(isl_schedule_get_map(scop->schedule), tsr_scop_domain(scop));
  return isl_union_map_lex_lt_union_map(isl_union_map_copy(times), times);
}

static isl_union_map *order_by_seats(struct tsr_scop *scop, const struct tsr_positions *positions)
{
  isl_union_map *all = isl_union_map_empty_ctx(scop->ctx);
  for (int s = 0; s < scop->n_stmt; s++)
    for (int t = 0; t < scop->n_stmt; t++) {
      isl_set *from = scop->stmts[s].domain, *to = scop->stmts[t].domain;
      isl_space *space = isl_space_map_from_domain_and_range(isl_set_get_space(from), isl_set_get_space(to));
      isl_map *order = tsr_positions_before(positions, s, t, space);
      order = isl_map_intersect_domain(isl_map_intersect_range(order, isl_set_copy(to)), isl_set_copy(from));
      all = isl_union_map_add_map(all, order);
    }
  return all;
}

static isl_union_map *flow(struct tsr_scop *scop, const struct tsr_positions *positions, unsigned sinks, unsigned must,
                           unsigned may, unsigned kills)
{
  unsigned all = TSR_MEMORY | 1u << TSR_ARRAY_SCALAR;
  struct tsr_flow query = {tsr_scop_accesses(scop, sinks, all), tsr_scop_accesses(scop, must, all),
                           tsr_scop_accesses(scop, may, all), tsr_scop_accesses(scop, kills, all), false};
  return tsr_scop_flow(scop, positions, query);
}

/* Dataflow by positions is that by the tree. (What a write of its own instance kills, the tree leaves; output dependences
 * stand for it.) */
static void test_flow(struct tsr_scop *scop)
{
  struct tsr_positions *positions = tsr_positions_find(scop);
  bool plain = positions != NULL;
  for (int i = 0; i < scop->n_stmt && plain; i++)
    plain = tsr_positions_are_in_order(positions, i);
  n_seated += plain;
  if (plain) {
    isl_union_map *was = order_by_schedule(scop), *is = order_by_seats(scop, positions);
    CHECK(isl_union_map_is_equal(was, is) == isl_bool_true);
    isl_union_map_free(was);
    isl_union_map_free(is);
  }
  unsigned may = 1u << TSR_MAY_WRITE, must = 1u << TSR_MUST_WRITE;
  for (int k = 0; k < 3; k++) {
    unsigned sinks = k ? TSR_WRITES : TSR_READS, sources = k < 2 ? must : 0, others = k < 2 ? may : TSR_READS;
    isl_union_map *was = flow(scop, NULL, sinks, sources, others, k < 2 ? 0 : must);
    isl_union_map *is = flow(scop, positions, sinks, sources, others, k < 2 ? 0 : must);
    CHECK(isl_union_map_is_subset(is, was) == isl_bool_true);
    isl_union_map *left = isl_union_map_subtract(was, is);
    isl_union_map *writes = k < 2 ? isl_union_map_empty_ctx(scop->ctx) : flow(scop, NULL, TSR_WRITES, 0, TSR_WRITES, 0);
    CHECK(isl_union_map_is_subset(left, writes) == isl_bool_true);
    isl_union_map_free(left);
    isl_union_map_free(writes);
  }
  tsr_positions_free(positions);
}

static void test_seed(uint64_t seed)
{
  struct random *r = malloc(sizeof(*r));
  isl_ctx *ctx = isl_ctx_alloc();
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  make_scop(r, seed, 0);
  struct tsr_scop *scop = read_scop(ctx, r);
  if (scop) {
    test_flow(scop);
    test_pipeline(scop, "force parallel tile-sizes=2,3");
    test_pipeline(scop, "force parallel tile-sizes=2 schedule=original");
    test_pipeline(scop, "force parallel tile-sizes=2,3 schedule=pluto");
    test_pipeline(scop, "force parallel tile-sizes=2 schedule=spatial-gpu");
    test_pipeline(scop, "force parallel tile-sizes=3 schedule=feautrier");
    test_pipeline(scop, "force schedule=maxfuse");
    test_pipeline(scop, "force");
    test_pipeline(scop, "force parallel tile-sizes=2 relax-reductions");
    test_pipeline(scop, "force parallel tile-sizes=2,3 schedule=original relax-reductions");
    test_pipeline(scop, "force tile-sizes=3 schedule=pluto relax-reductions");
  }
  for (int k = 0; scop && k < 6; k++) {
    make_tree(r);
    FILE *in = open_text(r->text);
    isl_schedule *tree = tsr_schedule_read(ctx, in, "random", NULL);
    fclose(in);
    if (CHECK(tree != NULL))
      test_tree(scop, tree);
    else
      fputs(r->text, stderr);
    isl_schedule_free(tree);
  }
  if (scop)
    test_influences(scop, r, 4);
  tsr_scop_free(scop);
  isl_ctx_free(ctx);
  free(r);
}

int main(int argc, char **argv)
{
  long first = argc > 1 ? strtol(argv[1], NULL, 10) : 1, last = argc > 2 ? strtol(argv[2], NULL, 10) : first + 59;
  for (long seed = first; seed <= last; seed++)
    test_seed((uint64_t)seed);
  fprintf(stderr, "legal and alike %d, legal but unlike %d, illegal and unlike %d, illegal but alike %d\n", outcomes[1][1],
          outcomes[1][0], outcomes[0][0], outcomes[0][1]);
  fprintf(stderr, "legal with relaxed reductions alone %d, with exact ones %d\n", n_relaxed, n_exact);
  fprintf(stderr, "influence trees followed %d, out of budget %d; fallbacks", followed, exhausted);
  for (int k = 0; k <= TSR_FALLBACK_DROPPED; k++)
    fprintf(stderr, " %d", taken[k]);
  fputc('\n', stderr);
  CHECK(n_seated > 0);
  CHECK(n_relaxed > 0 && n_exact > 0 && outcomes[1][1] > 0 && outcomes[0][0] > outcomes[0][1]);
  return check_report();
}
