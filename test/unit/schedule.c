/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The pipeline on small SCoPs: what comes out is legal, and is what one would hope for. */
#include "oracle.h"
#include <isl/id.h>
#include <isl/options.h>

isl_stat isl_ctx_next_operation(isl_ctx *ctx); /* exported by the archive: counts one */

typedef struct tsr_scop *(*builder)(isl_ctx *);

static struct tsr_result *run(struct tsr_scop *scop, const struct tsr_options *opt)
{
  struct tsr_result *result = tsr_pipeline_run(scop, opt, 0, TSR_STAGE_AST);
  CHECK(result);
  if (getenv("SHOW")) {
    printf("---- %s force %d parallel %d strategy %d: verdict %d in %s: %s (%g -> %g)\n", scop->name, opt->force,
           opt->parallel, opt->strategy, result->verdict, tsr_stage_name(result->stage), result->why ? result->why : "",
           result->profit.before, result->profit.after);
    tsr_print_schedule(result->variant[0].tree, stdout);
    tsr_print_ast(result->variant[0].ast, stdout);
  }
  return result;
}

/* Is a change worth it? */
enum worth { NEVER, WITH_THREADS, ALWAYS };

/* SCOP, taken, for a machine on which memory is waited for, not instructions. */
static struct tsr_scop *with_long_vectors(struct tsr_scop *scop)
{
  tsr_machine_find("x86-64-v4", &scop->machine);
  return scop;
}

/* Every SCoP, whatever the strategy: a legal tree where a change is worth it or asked for, else none. */
static void test_legal(isl_ctx *ctx)
{
  static const struct {
    builder build;
    enum worth worth;
    const char *parameters;
  } scops[] = {{scop_gemm, ALWAYS, "[n] -> { : n = 3 }"},
               {scop_jacobi_1d, NEVER, "[n, tsteps] -> { : n = 6 and tsteps = 3 }"},
               {scop_temporary, NEVER, "[n] -> { : n = 4 }"},
               {scop_sum, NEVER, "[n] -> { : n = 4 }"},
               {scop_trmm, ALWAYS, "[n, m] -> { : n = 2 and m = 4 }"},
               {scop_accumulator, WITH_THREADS, "[n] -> { : n = 3 }"},
               {scop_imperfect, WITH_THREADS, "[n, m] -> { : n = 3 and m = 3 }"}};
  for (size_t i = 0; i < sizeof(scops) / sizeof(scops[0]); i++)
    for (int variant = 0; variant < 4 * TSR_STRATEGY_FILE; variant++) {
      struct tsr_scop *scop = with_long_vectors(scops[i].build(ctx));
      struct oracle *oracle = oracle_alloc(scop, scops[i].parameters);
      struct tsr_options opt = {.force = variant & 1, .parallel = variant & 2, .strategy = variant / 4};
      struct tsr_result *result = run(scop, &opt);
      bool changed = opt.force || scops[i].worth == ALWAYS || (scops[i].worth == WITH_THREADS && opt.parallel);
      CHECK(result->verdict == (changed ? TSR_OK : TSR_UNPROFITABLE));
      CHECK(result->stage == (changed ? TSR_STAGE_AST : TSR_STAGE_PROFIT));
      CHECK(changed ? result->variant[0].ast && !result->why : result->why && !result->variant[0].ast);
      CHECK(!changed || oracle_agrees(oracle, result->variant[0].tree));
      tsr_result_free(result);
      oracle_free(oracle);
      tsr_scop_free(scop);
    }
}

struct shape {
  int bands, members, parallel, vector;
};

static isl_bool add_node(isl_schedule_node *node, void *user)
{
  struct shape *shape = user;
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band) {
    shape->bands++;
    shape->members += isl_schedule_node_band_n_member(node);
  }
  shape->parallel += tsr_node_is_mark(node, TSR_MARK_PARALLEL);
  shape->vector += tsr_node_is_mark(node, TSR_MARK_VECTOR);
  return isl_bool_true;
}

static struct shape shape_of(isl_schedule *tree)
{
  struct shape shape = {0};
  if (tree)
    isl_schedule_foreach_schedule_node_top_down(tree, add_node, &shape);
  return shape;
}

static bool equal(isl_union_map *map, const char *text)
{
  isl_union_map *expected = isl_union_map_read_from_str(isl_union_map_get_ctx(map), text);
  bool same = isl_union_map_is_equal(map, expected) == isl_bool_true;
  isl_union_map_free(expected);
  return same;
}

static void test_dependences(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_temporary(ctx);
  struct tsr_deps *deps = tsr_deps_compute(scop);
  CHECK(equal(deps->flow, "[n] -> { S[i] -> T[i] : 0 <= i < n }"));
  CHECK(isl_union_map_is_empty(deps->anti) && isl_union_map_is_empty(deps->output));
  CHECK(equal(deps->scalar, "[n] -> { T[i] -> S[j] : 0 <= i < j < n }"));
  CHECK(equal(deps->cond, "[n] -> { [S[i] -> S_1[]] -> [T[i] -> T_0[]] : 0 <= i < n }"));
  tsr_deps_free(deps);
  /* What lives out is ordered like memory. */
  scop->arrays[2].live_out = true;
  deps = tsr_deps_compute(scop);
  CHECK(equal(deps->output, "[n] -> { S[i] -> S[i + 1] : 0 <= i < n - 1 }"));
  CHECK(isl_union_map_is_empty(deps->scalar) && isl_union_map_is_empty(deps->cond));
  tsr_deps_free(deps);
  tsr_scop_free(scop);

  scop = scop_sum(ctx);
  deps = tsr_deps_compute(scop);
  CHECK(equal(deps->flow, "[n] -> { S[i] -> S[i + 1] : 0 <= i < n - 1 }"));
  CHECK(equal(deps->reduction, "[n] -> { S[i] -> S[i + 1] : 0 <= i < n - 1 }"));
  tsr_deps_free(deps);
  tsr_scop_free(scop);
}

/* gemm in the order i, j, k: j goes innermost and is a vector; trmm: the same though j is outermost. Both pay. */
static void test_interchange(isl_ctx *ctx)
{
  static const builder builders[] = {scop_gemm, scop_trmm};
  for (int i = 0; i < 2; i++) {
    struct tsr_scop *scop = with_long_vectors(builders[i](ctx));
    struct tsr_options opt = {.budget = 4000000};
    struct tsr_result *result = run(scop, &opt);
    struct shape shape = shape_of(result->variant[0].tree);
    CHECK(result->verdict == TSR_OK && result->profit.worth && result->profit.after < 0.2 * result->profit.before);
    CHECK(shape.vector == 2 && shape.parallel == 0);
    tsr_result_free(result);
    opt.parallel = true;
    result = run(scop, &opt);
    shape = shape_of(result->variant[0].tree);
    CHECK(result->verdict == TSR_OK && shape.parallel >= 1);
    tsr_result_free(result);
    opt.parallel = false;
    opt.force = true;
    result = run(scop, &opt);
    shape = shape_of(result->variant[0].tree);
    CHECK(result->verdict == TSR_OK && shape.members == 10);
    tsr_result_free(result);
    tsr_scop_free(scop);
  }
}

/* Large constants: the tree is legal and shows no trace of the parameters that stood for them. */
static void test_constants(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_constants(ctx);
  struct tsr_options opt = {.force = true};
  struct tsr_result *result = run(scop, &opt);
  char *text = isl_schedule_to_str(result->schedule);
  CHECK(result->verdict == TSR_OK);
  CHECK(text && !strstr(text, "tsr_constant"));
  free(text);
  tsr_result_free(result);
  tsr_scop_free(scop);
}

/* An accumulator's live ranges stay in one piece, so the outer loops are parallel, with a copy a thread. */
static void test_accumulator(isl_ctx *ctx)
{
  for (int strategy = 0; strategy <= TSR_STRATEGY_MAXFUSE; strategy++) {
    struct tsr_scop *scop = scop_accumulator(ctx);
    struct tsr_options opt = {.force = true, .parallel = true, .strategy = strategy};
    struct tsr_result *result = run(scop, &opt);
    CHECK(result->verdict == TSR_OK && shape_of(result->variant[0].tree).parallel == 1);
    tsr_result_free(result);
    tsr_scop_free(scop);
  }
}

/* Streaming code and stencils are left alone. */
static void test_unprofitable(isl_ctx *ctx)
{
  static const builder builders[] = {scop_jacobi_1d, scop_temporary, scop_sum, scop_imperfect};
  for (int i = 0; i < 4; i++) {
    struct tsr_scop *scop = builders[i](ctx);
    struct tsr_options opt = {.budget = 4000000};
    struct tsr_result *result = run(scop, &opt);
    CHECK(result->verdict == TSR_UNPROFITABLE && result->stage == TSR_STAGE_PROFIT);
    tsr_result_free(result);
    tsr_scop_free(scop);
  }
}

/* t gets a copy a thread: the loop may be parallel, but not if t lives out, and not as far as its cells are shared. */
static void test_private(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_temporary(ctx);
  isl_schedule_node *band = isl_schedule_node_child(isl_schedule_get_root(scop->schedule), 0);
  bool private[3];
  CHECK(tsr_band_is_parallel(band, scop, TSR_ANY_ARRAY, private) == isl_bool_true);
  CHECK(!private[0] && !private[1] && private[2]);
  CHECK(tsr_band_is_parallel(band, scop, TSR_MEMORY, private) == isl_bool_true);
  CHECK(!private[2]);
  scop->arrays[2].live_out = true;
  CHECK(tsr_band_is_parallel(band, scop, TSR_ANY_ARRAY, NULL) == isl_bool_false);
  isl_schedule_node_free(band);
  tsr_scop_free(scop);
}

/* Too small a budget ends in one verdict, the later the larger it is, and the ctx is usable again. */
static void test_budget(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_gemm(ctx);
  enum tsr_stage stage = TSR_STAGE_DEPENDENCES;
  for (unsigned long budget = 10; budget < 1000000; budget *= 3) {
    struct tsr_options opt = {.budget = budget};
    struct tsr_result *result = run(scop, &opt);
    bool enough = result->stage == TSR_STAGE_AST;
    CHECK(result->verdict == (enough ? TSR_OK : TSR_BUDGET) && (result->variant[0].ast != NULL) == enough);
    CHECK(enough || strstr(result->why, " isl operations ran out in stage "));
    CHECK(isl_ctx_last_error(ctx) == isl_error_none);
    CHECK(budget > 10 ? result->stage >= stage : result->stage == TSR_STAGE_DEPENDENCES);
    stage = result->stage;
    tsr_result_free(result);
  }
  CHECK(stage == TSR_STAGE_AST);
  tsr_scop_free(scop);
}

/* What the stages cost adds up to what the run cost; a budget of just that is enough, and to look at it changes nothing. */
static void test_stage_costs(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_gemm(ctx);
  struct tsr_options opt = {.force = true, .budget = 10000000};
  unsigned long sum = 0;
  struct tsr_result *result = run(scop, &opt);
  for (int i = 0; i < TSR_N_STAGE; i++) {
    CHECK((i <= (int)result->stage) == (result->cost[i].operations > 0));
    CHECK(result->cost[i].seconds >= 0 && result->cost[i].seconds < 100);
    sum += result->cost[i].operations;
  }
  CHECK(sum == result->operations);
  opt.budget = sum;
  tsr_result_free(result);
  result = run(scop, &opt);
  CHECK(result->verdict == TSR_OK && result->operations <= sum); /* isl has some memory at hand by now */
  tsr_result_free(result);
  opt.budget = sum / 2;
  result = run(scop, &opt);
  CHECK(result->verdict == TSR_BUDGET && result->operations < sum);
  tsr_result_free(result);

  /* Until a change is known to be worth it, a third must do, unless it is asked for. */
  unsigned long choice = 0;
  opt = (struct tsr_options){.budget = 10000000};
  result = run(scop, &opt);
  for (int i = 0; i <= TSR_STAGE_TILE; i++)
    choice += result->cost[i].operations;
  int n_compared = result->n_candidate;
  CHECK(result->stage > TSR_STAGE_TILE);
  tsr_result_free(result);
  opt.budget = choice / 2;
  result = run(scop, &opt);
  CHECK(result->verdict == TSR_BUDGET && result->stage <= TSR_STAGE_TILE && strstr(result->why, "a third of the budget"));
  tsr_result_free(result);
  opt.force = true;
  opt.budget = 2 * choice;
  result = run(scop, &opt);
  CHECK(result->stage > TSR_STAGE_TILE);
  tsr_result_free(result);
  /* The first candidate is worth it: then what a third is too little for isn't compared. */
  opt.force = false;
  result = run(scop, &opt);
  CHECK(result->stage > TSR_STAGE_TILE && result->n_candidate > 0 && result->n_candidate < n_compared);
  tsr_result_free(result);

  /* isl's error, its message and what is left outlive a look. */
  tsr_budget_begin(ctx, 1000);
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  isl_handle_error(ctx, isl_error_invalid, "an error", __FILE__, __LINE__);
  unsigned long limit = isl_ctx_get_max_operations(ctx), used = tsr_budget_used(ctx);
  CHECK(used == 0 && tsr_budget_used(ctx) == used && isl_ctx_get_max_operations(ctx) >= limit);
  CHECK(isl_ctx_last_error(ctx) == isl_error_invalid && !strcmp(isl_ctx_last_error_msg(ctx), "an error"));
  tsr_budget_end(ctx);
  CHECK(isl_ctx_get_max_operations(ctx) == 0);

  /* What runs out in a trial leaves the rest of the budget and no error; other errors stay. */
  int in_trial = 0, behind = 0;
  tsr_budget_begin(ctx, 1000);
  struct tsr_trial trial = tsr_budget_begin_trial(ctx, 0.5);
  while (in_trial < 2000 && isl_ctx_next_operation(ctx) == isl_stat_ok)
    in_trial++;
  CHECK(in_trial > 400 && in_trial <= 501 && isl_ctx_last_error(ctx) == isl_error_quota);
  CHECK(!tsr_budget_end_trial(ctx, trial) && isl_ctx_last_error(ctx) == isl_error_none);
  while (behind < 2000 && isl_ctx_next_operation(ctx) == isl_stat_ok)
    behind++;
  CHECK(behind > 400 && in_trial + behind <= 1001 && isl_ctx_last_error(ctx) == isl_error_quota);
  tsr_budget_end(ctx);
  tsr_budget_begin(ctx, 1000);
  trial = tsr_budget_begin_trial(ctx, 0.5);
  isl_handle_error(ctx, isl_error_invalid, "an error", __FILE__, __LINE__);
  CHECK(tsr_budget_end_trial(ctx, trial) && isl_ctx_last_error(ctx) == isl_error_invalid);
  tsr_budget_end(ctx);
  tsr_scop_free(scop);
}

/* Operations until the budget of CTX, or a trial in it, has run out, 5000 at most. */
static int count_operations(isl_ctx *ctx)
{
  int n = 0;
  while (n < 5000 && isl_ctx_next_operation(ctx) == isl_stat_ok)
    n++;
  return n;
}

/* What must not be left out for want of a few operations has them, and so has what only is to be finished. */
static void test_reserve(isl_ctx *ctx)
{
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  tsr_budget_begin(ctx, 1000);
  struct tsr_trial trial = tsr_budget_begin_trial(ctx, 0.9);
  CHECK(count_operations(ctx) > 800);
  CHECK(!tsr_budget_end_trial(ctx, trial));
  trial = tsr_budget_begin_reserve(ctx, 0.5, 400);
  int reserved = count_operations(ctx);
  CHECK(reserved >= 350 && reserved <= 450);
  CHECK(!tsr_budget_end_trial(ctx, trial) && isl_ctx_last_error(ctx) == isl_error_none);
  tsr_budget_end(ctx);
  tsr_budget_begin(ctx, 1000);
  trial = tsr_budget_begin_reserve(ctx, 0.5, 400);
  reserved = count_operations(ctx);
  CHECK(reserved > 450 && reserved <= 501); /* the share is more */
  CHECK(!tsr_budget_end_trial(ctx, trial));
  tsr_budget_extend(ctx, 0.2);
  int rest = count_operations(ctx);
  CHECK(reserved + rest > 1100 && reserved + rest <= 1201);
  tsr_budget_end(ctx);
}

/* Where dependences leave no order, a strategy falls back to the original one, and says so. */
static void test_fallback(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_gemm(ctx);
  struct tsr_deps *deps = tsr_deps_compute(scop);
  const char *fallback = "x";
  for (int strategy = TSR_STRATEGY_ISL; strategy <= TSR_STRATEGY_MAXFUSE; strategy++) {
    struct tsr_options opt = {.strategy = strategy};
    isl_schedule_free(tsr_schedule_compute(scop, deps, &opt, NULL, &fallback));
    CHECK(!fallback);
  }
  deps->flow = isl_union_map_union(isl_union_map_reverse(isl_union_map_copy(deps->flow)), deps->flow);
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  for (int strategy = TSR_STRATEGY_ISL; strategy <= TSR_STRATEGY_MAXFUSE; strategy++) {
    struct tsr_options opt = {.strategy = strategy};
    isl_schedule *schedule = tsr_schedule_compute(scop, deps, &opt, NULL, &fallback);
    CHECK(schedule && (strategy == TSR_STRATEGY_ORIGINAL ? !fallback : fallback && !strcmp(fallback, "original")));
    isl_schedule_free(schedule);
  }
  isl_ctx_reset_error(ctx);
  tsr_deps_free(deps);
  tsr_scop_free(scop);
}

static void check_condition(isl_ctx *ctx, struct tsr_scop *scop, const char *set, const char *expected)
{
  isl_ast_expr *expr = tsr_ast_condition(scop, isl_set_read_from_str(ctx, set));
  char *text = isl_ast_expr_to_C_str(expr);
  CHECK(text && !strcmp(text, expected));
  free(text);
  isl_ast_expr_free(expr);
}

/* A condition on parameters, simplified by what is known, but for the ranges of those in sums. */
static void test_condition(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_gemm(ctx);
  check_condition(ctx, scop, "[n] -> { : 1 <= n <= 100 }", "n <= 100");
  check_condition(ctx, scop, "[n] -> { : 0 <= n }", "1");
  check_condition(ctx, scop, "[n] -> { : n < 0 }", "0");
  check_condition(ctx, scop, "[p, q] -> { : -9 <= p < q <= 9 }", "p <= 8 && p >= -9 && q >= -8 && q <= 9 && q >= p + 1");
  check_condition(ctx, scop, "[p, q] -> { : -9 <= p <= 9 and q = 1 }", "p <= 9 && p >= -9 && q == 1");
  check_condition(ctx, scop, "[p, q] -> { : (p <= 9 and 8 - p <= q <= 9) or (p >= -9 and 4 <= q <= 7 - p) }",
                  "p <= 9 && p >= -9 && q >= -1 && q <= 16 && ((p + q >= 8 && q <= 9) || (q >= 4 && p + q <= 7))");

  /* Where isl gives up, at whatever point, there is no condition rather than one that lacks a range. */
  bool enough = false;
  for (unsigned long budget = 1; !enough && budget < 1000000; budget += 1 + budget / 8) {
    isl_set *set = isl_set_read_from_str(ctx, "[p, q] -> { : -9 <= p < q <= 9 }");
    tsr_budget_begin(ctx, budget);
    isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
    isl_ast_expr *expr = tsr_ast_condition(scop, set);
    enough = isl_ctx_last_error(ctx) == isl_error_none;
    tsr_budget_end(ctx);
    char *text = expr ? isl_ast_expr_to_C_str(expr) : NULL;
    CHECK(enough == !!expr && (!text || !strcmp(text, "p <= 8 && p >= -9 && q >= -8 && q <= 9 && q >= p + 1")));
    free(text);
    isl_ast_expr_free(expr);
  }
  CHECK(enough);
  tsr_scop_free(scop);
}

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  test_dependences(ctx);
  test_private(ctx);
  test_condition(ctx);
  test_legal(ctx);
  test_interchange(ctx);
  test_constants(ctx);
  test_accumulator(ctx);
  test_unprofitable(ctx);
  test_budget(ctx);
  test_stage_costs(ctx);
  test_reserve(ctx);
  test_fallback(ctx);
  isl_ctx_free(ctx);
  printf("%d checks\n", n_checks);
  return 0;
}
