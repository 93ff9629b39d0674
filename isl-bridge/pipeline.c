/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stages in order.
 *
 *   SCoP -> dependences -> schedule -> tile (and mark) -> profit -> check -> ast -> run
 *
 * Each stage fills one field of the result; the first that says no ends the run with a verdict and a sentence. The
 * isl operations of all stages together come out of one budget. */
#include "bridge.h"
#include <isl/id.h>
#include <isl/options.h>
#include <isl/printer.h>
#include <isl/val.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *tsr_stage_name(enum tsr_stage stage)
{
  static const char *const name[TSR_N_STAGE] = {"dependences", "schedule", "tile", "profit", "check", "ast", "run"};
  return stage < TSR_N_STAGE ? name[stage] : "?";
}

/* One run: what the stages need besides the result. */
struct run {
  struct tsr_scop *scop;
  const struct tsr_options *asked; /* the options */
  const struct tsr_options *opt;   /* those of the trees at hand: the options, or ONE_CORE */
  struct tsr_options one_core;     /* the options without threads */
  int n_check;
  enum { WITHOUT, FULL, MASKED } registers; /* register tiles: none; without masked parts; with them */
  struct tsr_estimate after;                /* of the result's tree, on one core */
  struct tsr_result *result;
  isl_schedule *bare; /* the result's tree without marks */
  double of_threads;  /* its cost with threads, a part of that without */
};

static char *sentence(const char *text)
{
  return strdup(text ? text : "");
}

/* End the run with VERDICT. Always false, as the stages return. */
static bool stop(struct run *run, enum tsr_verdict verdict, const char *why)
{
  run->result->verdict = verdict;
  free(run->result->why);
  run->result->why = sentence(why);
  return false;
}

static bool stage_dependences(struct run *run)
{
  run->result->deps = run->opt->relax_reductions ? tsr_deps_compute_relaxed(run->scop) : tsr_deps_compute(run->scop);
  return run->result->deps ? true : stop(run, TSR_ERROR, NULL);
}

static bool stage_schedule(struct run *run)
{
  struct tsr_result *result = run->result;
  result->schedule = tsr_schedule_compute(run->scop, result->deps, run->opt, &result->trace, &result->fallback);
  if (!result->schedule && (run->opt->influence || run->opt->strategy_file) &&
      isl_ctx_last_error(run->scop->ctx) == isl_error_invalid)
    return stop(run, TSR_BAD_INFLUENCE, result->trace);
  return result->schedule ? true : stop(run, TSR_ERROR, NULL);
}

/* Where threads are allowed, nobody knows how many there will be: costs on one core count as much as these parts of them. */
#define ON_ONE_CORE 0.5

/* The estimated cost of TREE in *COST, on one core in *ALONE, and the part that threads leave of it in *OF_THREADS; the
 * lowest of each statement so far is kept. */
static isl_stat candidate_cost(struct run *run, isl_schedule *tree, double *cost, struct tsr_estimate *alone,
                               double *of_threads)
{
  int n = run->scop->n_stmt;
  struct tsr_result *result = run->result;
  struct tsr_estimate estimate = {0};
  double *by_stmt = calloc(n + 1, sizeof(*by_stmt));
  isl_stat ok = by_stmt ? tsr_tree_cost(run->scop, tree, true, run->opt->parallel, &estimate, by_stmt) : isl_stat_error;
  *alone = estimate;
  if (ok == isl_stat_ok && run->opt->parallel)
    ok = tsr_tree_cost(run->scop, tree, true, false, alone, NULL);
  *of_threads = run->opt->parallel && alone->cost > 0 ? estimate.cost / alone->cost : 1;
  *cost = run->opt->parallel ? ON_ONE_CORE * alone->cost + (1 - ON_ONE_CORE) * estimate.cost : estimate.cost;
  if (ok < 0 || !result->best) {
    free(result->best);
    result->best = ok < 0 ? NULL : by_stmt;
    if (ok < 0)
      free(by_stmt);
    return ok;
  }
  for (int i = 0; i < n; i++)
    result->best[i] = by_stmt[i] < result->best[i] ? by_stmt[i] : result->best[i];
  free(by_stmt);
  return ok;
}

/* Take SCHEDULE and its transformed tree, BARE with marks (one INSIDE), for the result if they cost less than *BEST. */
static void try_candidate(struct run *run, __isl_take isl_schedule *schedule, __isl_take isl_schedule *bare, int inside,
                          double *best)
{
  double cost = 0, of_threads = 1;
  struct tsr_estimate alone;
  struct tsr_result *result = run->result;
  isl_schedule *tree = bare ? tsr_tree_mark(isl_schedule_copy(bare), run->scop, run->opt, inside) : NULL;
  if (!tree || candidate_cost(run, tree, &cost, &alone, &of_threads) < 0 || (result->tree && !(cost < *best))) {
    isl_schedule_free(bare);
    isl_schedule_free(tree);
    isl_schedule_free(schedule);
    return;
  }
  isl_schedule_free(result->tree);
  isl_schedule_free(result->schedule);
  isl_schedule_free(run->bare);
  result->tree = tree;
  result->schedule = schedule;
  run->after = alone;
  run->bare = bare;
  run->of_threads = of_threads;
  *best = cost;
}

/* TREE, marked. Where an innermost loop can be split: with that, and unless the options force it, without. */
static void try_marked(struct run *run, __isl_take isl_schedule *schedule, __isl_take isl_schedule *tree, double *best)
{
  isl_schedule *split = tsr_tree_split(isl_schedule_copy(tree), run->result->deps, false);
  if (split)
    try_candidate(run, isl_schedule_copy(schedule), isl_schedule_copy(split), 0, best);
  isl_schedule_free(split);
  if (!split || !run->opt->force) {
    try_candidate(run, schedule, tree, 0, best);
    return;
  }
  isl_schedule_free(schedule);
  isl_schedule_free(tree);
}

/* TREE, marked. Where a wavefront gives threads something to do: with that, and unless the options force it, without. */
static void try_tree(struct run *run, __isl_take isl_schedule *schedule, isl_schedule *tree, double *best)
{
  struct tsr_deps *deps = run->result->deps;
  isl_schedule *skewed = run->opt->parallel ? tsr_tree_wavefront(isl_schedule_copy(tree), deps, run->opt) : NULL;
  bool other = skewed && isl_schedule_plain_is_equal(skewed, tree) != isl_bool_true;
  if (other)
    try_marked(run, isl_schedule_copy(schedule), skewed, best);
  else
    isl_schedule_free(skewed);
  if (!other || !run->opt->force) {
    try_marked(run, schedule, tree, best);
    return;
  }
  isl_schedule_free(schedule);
  isl_schedule_free(tree);
}

/* Tiles that are asked for, and wavefronts of them, are others. */
static bool may_have_strips(const struct tsr_options *opt)
{
  return !opt->n_tile_sizes && !opt->relax_reductions && !(opt->force && opt->parallel);
}

/* SCHEDULE with interleaved chains, and in strips of time steps, if it can have any. */
static bool try_strips(struct run *run, __isl_keep isl_schedule *schedule, double *best)
{
  isl_schedule *chains = tsr_tree_interleave(isl_schedule_copy(schedule), run->scop, run->result->deps, run->opt);
  if (chains)
    try_tree(run, isl_schedule_copy(schedule), chains, best);
  if (chains && run->opt->force)
    return true;
  isl_schedule *strips = tsr_tree_strips(isl_schedule_copy(schedule), run->scop);
  if (strips)
    try_tree(run, isl_schedule_copy(schedule), strips, best);
  return strips || chains;
}

/* SCHEDULE with tiles and, unless the options ask for tiles, without, or with register tiles. */
static void try_schedule(struct run *run, __isl_take isl_schedule *schedule, double *best)
{
  const struct tsr_options *opt = run->opt;
  isl_schedule *registers = NULL;
  if (run->registers != WITHOUT && !opt->n_tile_sizes && !opt->relax_reductions)
    registers = tsr_tree_registers(isl_schedule_copy(schedule), run->scop, run->result->deps, opt, run->registers == MASKED);
  if (registers) {
    try_tree(run, isl_schedule_copy(schedule), registers, best);
    if (opt->force) {
      isl_schedule_free(schedule);
      return;
    }
  }
  if (may_have_strips(opt) && try_strips(run, schedule, best) && opt->force) {
    isl_schedule_free(schedule);
    return;
  }
  isl_schedule *tiled = tsr_tree_tile(isl_schedule_copy(schedule), run->scop, opt);
  if (!opt->force && !opt->n_tile_sizes) {
    isl_schedule *untiled = tsr_tree_interchange(isl_schedule_copy(schedule), run->scop, opt);
    if (isl_schedule_plain_is_equal(tiled, untiled) == isl_bool_true)
      isl_schedule_free(untiled);
    else
      try_tree(run, isl_schedule_copy(schedule), untiled, best);
  }
  try_tree(run, schedule, tiled, best);
}

/* The schedule of another STRATEGY, too. */
static void try_strategy(struct run *run, enum tsr_strategy strategy, double *best)
{
  struct tsr_options opt = *run->opt;
  opt.strategy = strategy;
  try_schedule(run, tsr_schedule_compute(run->scop, run->result->deps, &opt, NULL, NULL), best);
}

/* A candidate in the original order is taken if it costs no more than this times the scheduler's best: the model can't tell
 * such two apart, and of the two it is the one that the programmer chose. Not where threads are asked for: the scheduler
 * looks for work for them. */
#define TIE 1.02

static isl_stat check_piece(isl_set *domain, isl_aff *aff, void *user)
{
  bool *plain = user;
  isl_size n = isl_aff_dim(aff, isl_dim_in);
  int n_moving = 0;
  for (int i = 0; i < n; i++) {
    isl_val *value = isl_aff_get_coefficient_val(aff, isl_dim_in, i);
    n_moving += isl_val_is_zero(value) != isl_bool_true;
    *plain = *plain && (isl_val_is_zero(value) == isl_bool_true || isl_val_is_one(value) == isl_bool_true);
    isl_val_free(value);
  }
  *plain = *plain && n_moving <= 1 && isl_aff_dim(aff, isl_dim_div) == 0;
  isl_set_free(domain);
  isl_aff_free(aff);
  return isl_stat_ok;
}

static isl_stat check_function(isl_pw_aff *function, void *user)
{
  isl_stat ok = isl_pw_aff_foreach_piece(function, check_piece, user);
  isl_pw_aff_free(function);
  return ok;
}

static isl_bool check_band(isl_schedule_node *node, void *user)
{
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
    return isl_bool_true;
  isl_multi_union_pw_aff *rows = isl_schedule_node_band_get_partial_schedule(node);
  isl_size n = isl_multi_union_pw_aff_size(rows);
  isl_stat ok = n < 0 ? isl_stat_error : isl_stat_ok;
  for (int i = 0; i < n && ok == isl_stat_ok; i++) {
    isl_union_pw_aff *row = isl_multi_union_pw_aff_get_at(rows, i);
    ok = isl_union_pw_aff_foreach_pw_aff(row, check_function, user);
    isl_union_pw_aff_free(row);
  }
  isl_multi_union_pw_aff_free(rows);
  return ok < 0 ? isl_bool_error : isl_bool_true;
}

/* Is each row of SCHEDULE one iterator? Rows such as 10 i + k need divisions in loops, which the cost model doesn't see. */
static bool is_plain(isl_schedule *schedule)
{
  bool plain = schedule != NULL;
  if (plain && isl_schedule_foreach_schedule_node_top_down(schedule, check_band, &plain) < 0)
    return false;
  return plain;
}

/* By default Feautrier's schedule is a candidate, too, if so much of the budget is left: it is found quickly, and where it
 * wins (syrk), it does so clearly. */
#define ENOUGH_LEFT 0.75
#define CLEARLY 0.9

static void try_feautrier(struct run *run, double *best)
{
  struct tsr_options opt = *run->opt;
  opt.strategy = TSR_STRATEGY_FEAUTRIER;
  isl_schedule *schedule = tsr_schedule_compute(run->scop, run->result->deps, &opt, NULL, NULL);
  if (is_plain(schedule))
    try_schedule(run, schedule, best);
  else
    isl_schedule_free(schedule);
}

/* Folds over elements that the nest writes, in an order in which rows are complete one after the other: taken with the
 * dependences that allow it. */
static void try_folds(struct run *run, double *best)
{
  char wish[] = "@folds", *trace = NULL;
  struct tsr_options opt = *run->opt;
  struct tsr_result *result = run->result;
  opt.influence = wish;
  opt.strategy = TSR_STRATEGY_DEFAULT;
  struct tsr_deps *deps = tsr_deps_compute_exact(run->scop);
  isl_schedule *schedule = deps ? tsr_schedule_compute(run->scop, deps, &opt, &trace, NULL) : NULL;
  isl_schedule *tree = schedule ? tsr_tree_distribute(isl_schedule_copy(schedule), deps) : NULL;
  isl_schedule *old = isl_schedule_copy(result->tree);
  try_candidate(run, schedule, tree, 0, best);
  if (deps && result->tree != old) {
    tsr_deps_free(result->deps);
    result->deps = deps;
    result->exact = true;
  } else {
    tsr_deps_free(deps);
  }
  isl_schedule_free(old);
  free(trace);
}

/* Are there any, and operations left for them? */
static bool may_have_folds(struct run *run)
{
  return !run->opt->relax_reductions && !run->opt->n_tile_sizes && !run->result->trace &&
         run->opt->strategy == TSR_STRATEGY_DEFAULT && tsr_budget_share(run->scop->ctx) < 1 - ENOUGH_LEFT &&
         tsr_scop_has_folds(run->scop);
}

/* Of what is left of the budget, for candidates without which there is a tree: the rest is for checks and the AST. */
#define SHARE_OF_TRIALS 0.6

/* Tiles or not, the scheduler's tree or the original one: the cheapest wins, unless the options ask for something. */
static void find_tree(struct run *run, double *best)
{
  const struct tsr_options *opt = run->opt;
  bool choice = !run->result->trace && !opt->force;
  try_schedule(run, isl_schedule_copy(run->result->schedule), best);
  *best *= opt->parallel ? 1 : TIE;
  if (choice && opt->strategy != TSR_STRATEGY_ORIGINAL)
    try_strategy(run, TSR_STRATEGY_ORIGINAL, best);
  *best *= CLEARLY;
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_TRIALS);
  if (choice && opt->strategy == TSR_STRATEGY_DEFAULT && tsr_budget_share(run->scop->ctx) < 1 - ENOUGH_LEFT)
    try_feautrier(run, best);
  if (may_have_folds(run))
    try_folds(run, best);
  tsr_budget_end_trial(run->scop->ctx, trial);
}

/* Threads that leave no more than this of the cost have enough to do, for two cores: nothing better is looked for. */
#define GOOD_FOR_THREADS 0.8

/* BARE, unless it is NULL, with parallel loops as far out as possible, and one further in if that is another tree. */
static void try_marks(struct run *run, isl_schedule *schedule, isl_schedule *bare, double *best)
{
  if (!bare)
    return;
  isl_schedule *out = tsr_tree_mark(isl_schedule_copy(bare), run->scop, run->opt, 0);
  isl_schedule *in = tsr_tree_mark(isl_schedule_copy(bare), run->scop, run->opt, 1);
  bool other = isl_schedule_plain_is_equal(out, in) == isl_bool_false;
  isl_schedule_free(out);
  isl_schedule_free(in);
  for (int inside = 0; inside <= other; inside++)
    try_candidate(run, isl_schedule_copy(schedule), isl_schedule_copy(bare), inside, best);
}

/* With the threads that the options allow: the tree that is best on one core, with marks further out or in, or in another
 * form, or the schedule that looks for work for threads. */
static void find_threads(struct run *run)
{
  struct tsr_result *result = run->result;
  double best = 0;
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_TRIALS);
  isl_schedule *schedule = isl_schedule_copy(result->schedule), *bare = isl_schedule_copy(run->bare);
  if (candidate_cost(run, result->tree, &best, &run->after, &run->of_threads) == isl_stat_ok) {
    best = run->opt->force ? HUGE_VAL : best;
    isl_schedule *shared = tsr_tree_share(isl_schedule_copy(bare), schedule, run->scop, result->deps);
    try_marks(run, schedule, bare, &best);
    try_marks(run, schedule, shared, &best);
    isl_schedule_free(shared);
    isl_schedule *split = NULL;
    if (run->of_threads > GOOD_FOR_THREADS)
      split = tsr_tree_split(isl_schedule_copy(bare), result->deps, true);
    if (split)
      try_candidate(run, isl_schedule_copy(schedule), split, 0, &best);
    if (run->of_threads > GOOD_FOR_THREADS)
      try_schedule(run, tsr_schedule_compute(run->scop, result->deps, run->opt, NULL, NULL), &best);
  }
  isl_schedule_free(schedule);
  isl_schedule_free(bare);
  tsr_budget_end_trial(run->scop->ctx, trial);
}

/* Is the tree for threads made from that which is best on one core? Where the options ask for something they get it. */
static bool is_for_one_core(struct run *run)
{
  const struct tsr_options *opt = run->asked;
  return opt->parallel && !opt->influence && opt->strategy == TSR_STRATEGY_DEFAULT && !opt->n_tile_sizes;
}

static bool stage_tile(struct run *run)
{
  double best = 0;
  find_tree(run, &best);
  if (is_for_one_core(run) && run->result->tree && isl_ctx_last_error(run->scop->ctx) == isl_error_none) {
    run->opt = run->asked;
    find_threads(run);
  }
  if (!run->result->tree || isl_ctx_last_error(run->scop->ctx) != isl_error_none)
    return stop(run, TSR_ERROR, NULL);
  return true;
}

static isl_bool is_no_strip(isl_schedule_node *node, void *user)
{
  (void)user;
  return isl_bool_ok(!tsr_node_is_mark(node, TSR_MARK_STRIPS));
}

static isl_bool is_no_interleave(isl_schedule_node *node, void *user)
{
  int chains;
  double cycles;
  (void)user;
  return isl_bool_ok(!tsr_node_is_interleave(node, &chains, &cycles));
}

/* When is the tree worth it? False: never. */
static bool find_range(struct run *run)
{
  struct tsr_result *result = run->result;
  result->when = isl_set_free(result->when);
  isl_schedule_node *root = isl_schedule_get_root(result->tree);
  bool strips = isl_schedule_node_every_descendant(root, is_no_strip, NULL) != isl_bool_true;
  bool chains = isl_schedule_node_every_descendant(root, is_no_interleave, NULL) != isl_bool_true;
  isl_schedule_node_free(root);
  if (!strips && !chains)
    return true;
  result->when = strips ? tsr_strips_range(run->scop) : tsr_interleave_range(run->scop, result->tree);
  isl_set *known = tsr_scop_known(run->scop);
  isl_bool never = isl_set_is_disjoint(result->when, known);
  isl_set_free(known);
  return never == isl_bool_false;
}

static bool stage_profit(struct run *run)
{
  struct tsr_result *result = run->result;
  result->profit = tsr_profit_estimate(run->scop, result->tree, run->n_check, run->opt, &result->before, &run->after);
  if (run->opt->force && isl_ctx_last_error(run->scop->ctx) == isl_error_none)
    return true;
  if (result->profit.worth && !find_range(run) && isl_ctx_last_error(run->scop->ctx) == isl_error_none)
    return stop(run, TSR_UNPROFITABLE, "the arrays of the stencil fit into the cache, or its loops are short");
  if (isl_ctx_last_error(run->scop->ctx) != isl_error_none)
    return stop(run, TSR_ERROR, NULL);
  return result->profit.worth ? true : stop(run, TSR_UNPROFITABLE, result->profit.reason);
}

static bool stage_check(struct run *run)
{
  char *why = NULL;
  isl_bool legal = run->opt->relax_reductions ? tsr_check_schedule_relaxed(run->scop, run->result->tree, &why)
                   : run->result->exact       ? tsr_check_schedule_exact(run->scop, run->result->tree, &why)
                                              : tsr_check_schedule(run->scop, run->result->tree, &why);
  if (isl_ctx_last_error(run->scop->ctx) != isl_error_none)
    legal = isl_bool_error;
  if (legal == isl_bool_false)
    stop(run, TSR_CHECK_FAILED, why);
  if (legal < 0)
    stop(run, TSR_ERROR, NULL);
  free(why);
  return legal == isl_bool_true;
}

/* isl may make loops of a register tile that can't be emitted as one: then there is another tree. */
static bool try_again(struct run *run)
{
  run->registers--;
  run->opt = is_for_one_core(run) ? &run->one_core : run->asked;
  run->bare = isl_schedule_free(run->bare);
  run->result->tree = isl_schedule_free(run->result->tree);
  run->result->ast = isl_ast_node_free(run->result->ast);
  return stage_tile(run) && stage_profit(run) && stage_check(run);
}

static bool stage_ast(struct run *run)
{
  do {
    run->result->ast = tsr_ast_build(run->scop, run->result->tree);
    if (!run->result->ast)
      return stop(run, TSR_ERROR, NULL);
  } while (!(tsr_register_nests_are_good(run->result->ast) && tsr_lockstep_nests_are_good(run->result->ast)) &&
           try_again(run));
  return run->result->ast != NULL;
}

static bool stage_run(struct run *run)
{
  /* Execution needs parameter values: the caller goes on with tsr_interp_compare on the AST. */
  (void)run;
  return true;
}

/* Is it clear from domains and scalars alone that stage profit would say no? Whoever asks for more than the verdict gets
 * all. */
static bool is_hopeless(struct run *run, enum tsr_stage until)
{
  const char *reason;
  const struct tsr_options *opt = run->asked;
  if (until <= TSR_STAGE_PROFIT || opt->force || opt->influence || opt->print != TSR_PRINT_NONE)
    return false;
  isl_bool hopeless = tsr_profit_is_hopeless(run->scop, &reason);
  if (hopeless == isl_bool_false && !opt->parallel && !opt->relax_reductions) {
    hopeless = tsr_profit_is_rigid(run->scop, run->n_check, &run->result->before, &run->result->original);
    reason = tsr_not_lower;
  }
  run->result->stage = hopeless < 0 ? TSR_STAGE_DEPENDENCES : TSR_STAGE_PROFIT;
  if (hopeless < 0)
    stop(run, TSR_ERROR, NULL);
  else if (hopeless)
    stop(run, TSR_UNPROFITABLE, reason);
  run->result->hopeless = hopeless == isl_bool_true;
  return hopeless != isl_bool_false;
}

/* Say in the result what an isl error means: the budget, or a defect. */
static void explain_error(struct run *run)
{
  char text[512];
  isl_ctx *ctx = run->scop->ctx;
  const char *stage = tsr_stage_name(run->result->stage), *message = isl_ctx_last_error_msg(ctx);
  if (isl_ctx_last_error(ctx) == isl_error_quota) {
    run->result->verdict = TSR_BUDGET;
    snprintf(text, sizeof(text), "the budget of %lu isl operations ran out in stage %s", run->opt->budget, stage);
  } else {
    snprintf(text, sizeof(text), "stage %s failed: %s", stage, message ? message : "out of memory");
  }
  free(run->result->why);
  run->result->why = sentence(text);
}

double (*tsr_pipeline_clock)(void);

static double seconds(void)
{
  return tsr_pipeline_clock ? tsr_pipeline_clock() : 0;
}

/* Run STAGE and note what it cost. */
static bool run_stage(struct run *run, bool (*stage)(struct run *))
{
  struct tsr_stage_cost *cost = &run->result->cost[run->result->stage];
  unsigned long before = tsr_budget_used(run->scop->ctx);
  double begin = seconds();
  bool good = stage(run);
  cost->seconds = seconds() - begin;
  cost->operations = tsr_budget_used(run->scop->ctx) - before;
  return good;
}

struct tsr_result *tsr_pipeline_run(struct tsr_scop *scop, const struct tsr_options *opt, int n_check, enum tsr_stage until)
{
  static bool (*const stages[TSR_N_STAGE])(struct run *) = {stage_dependences, stage_schedule, stage_tile, stage_profit,
                                                            stage_check,       stage_ast,      stage_run};
  struct tsr_result *result = calloc(1, sizeof(*result));
  if (!result)
    return NULL;
  struct run run = {.scop = scop, .asked = opt, .one_core = *opt, .n_check = n_check, .registers = MASKED, .result = result};
  int on_error = isl_options_get_on_error(scop->ctx);

  isl_options_set_on_error(scop->ctx, ISL_ON_ERROR_CONTINUE);
  isl_ctx_reset_error(scop->ctx);
  tsr_budget_begin(scop->ctx, opt->budget);

  run.one_core.parallel = false;
  run.opt = is_for_one_core(&run) ? &run.one_core : opt;
  result->verdict = TSR_OK;
  result->threads = opt->parallel;
  bool hopeless = is_hopeless(&run, until);
  for (int stage = 0; !hopeless && stage <= (int)until && stage < TSR_N_STAGE; stage++) {
    result->stage = stage;
    if (!run_stage(&run, stages[stage]))
      break;
  }
  if (result->verdict == TSR_ERROR)
    explain_error(&run);

  isl_schedule_free(run.bare);
  result->operations = tsr_budget_end(scop->ctx);
  isl_options_set_on_error(scop->ctx, on_error);
  return result;
}

/* A part that costs this much of the original in its best candidate is not worth a change. */
#define NO_GAIN 0.85

bool tsr_result_may_gain(struct tsr_result *result, struct tsr_scop *scop, const bool *stmts)
{
  double before = 0, best = 0;
  struct tsr_estimate all;
  if (result->hopeless)
    return false;
  if (!result->original) {
    result->original = calloc(scop->n_stmt + 1, sizeof(*result->original));
    if (!result->original || tsr_tree_cost(scop, scop->schedule, false, result->threads, &all, result->original) < 0)
      return true;
  }
  for (int i = 0; i < scop->n_stmt && result->best; i++)
    if (stmts[i]) {
      before += result->original[i];
      best += result->best[i];
    }
  return !result->best || best < NO_GAIN * before;
}

struct tsr_result *tsr_result_free(struct tsr_result *result)
{
  if (!result)
    return NULL;
  free(result->why);
  free(result->trace);
  free(result->best);
  free(result->original);
  tsr_deps_free(result->deps);
  isl_schedule_free(result->schedule);
  isl_schedule_free(result->tree);
  isl_set_free(result->when);
  isl_ast_node_free(result->ast);
  free(result);
  return NULL;
}

void tsr_print_schedule(isl_schedule *schedule, FILE *out)
{
  if (!schedule)
    return;
  isl_printer *printer = isl_printer_to_file(isl_schedule_get_ctx(schedule), out);
  printer = isl_printer_set_yaml_style(printer, ISL_YAML_STYLE_BLOCK);
  printer = isl_printer_print_schedule(printer, schedule);
  isl_printer_free(printer);
}

void tsr_print_ast(isl_ast_node *ast, FILE *out)
{
  char *text = ast ? isl_ast_node_to_C_str(ast) : NULL;
  if (text)
    fputs(text, out);
  free(text);
}
