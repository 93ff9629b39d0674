/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stages in order.
 *
 *   SCoP -> dependences -> schedule -> tile (and mark) -> profit -> check -> ast -> run
 *
 * Each stage fills one field of the result; the first that says no ends the run with a verdict and a sentence. The
 * isl operations of all stages together come out of one budget. */
#include "ast/ast.h"
#include "model/thresholds.h"
#include "commands/commands.h"
#include "tree/tree.h"
#include <isl/options.h>
#include <isl/printer.h>
#include <stdlib.h>
#include <string.h>

const char *tsr_stage_name(enum tsr_stage stage)
{
  static const char *const name[TSR_N_STAGE] = {"dependences", "schedule", "tile", "profit", "check", "ast", "run"};
  return stage < TSR_N_STAGE ? name[stage] : "?";
}

static char *sentence(const char *text)
{
  return strdup(text ? text : "");
}

/* End the run with VERDICT. Always false, as the stages return. */
static bool stop(struct tsr_run *run, enum tsr_verdict verdict, const char *why)
{
  run->result->verdict = verdict;
  free(run->result->why);
  run->result->why = sentence(why);
  return false;
}

static bool stage_dependences(struct tsr_run *run)
{
  unsigned long limit = isl_ctx_get_max_operations(run->scop->ctx);
  if (limit > 0 && tsr_deps_least_operations(run->scop) > (double)limit)
    isl_ctx_set_max_operations(run->scop->ctx, 1); /* it would run out */
  run->result->deps = run->opt->relax_reductions ? tsr_deps_compute_relaxed(run->scop) : tsr_deps_compute(run->scop);
  return run->result->deps ? true : stop(run, TSR_ERROR, NULL);
}

static bool stage_schedule(struct tsr_run *run)
{
  struct tsr_result *result = run->result;
  bool unasked = run->until > TSR_STAGE_SCHEDULE && tsr_run_is_long_pipeline(run);
  if (run->commands || unasked) { /* what starts from the original order */
    result->schedule = isl_schedule_copy(run->scop->schedule);
    return true;
  }
  result->schedule = tsr_schedule_compute(run->scop, result->deps, run->opt, &result->trace, &result->fallback);
  if (!result->schedule && (run->opt->influence || run->opt->strategy_file) &&
      isl_ctx_last_error(run->scop->ctx) == isl_error_invalid)
    return stop(run, TSR_BAD_INFLUENCE, result->trace);
  return result->schedule ? true : stop(run, TSR_ERROR, NULL);
}

/* What the user's commands say. */
static bool obey(struct tsr_run *run)
{
  char *why = NULL;
  struct tsr_result *result = run->result;
  bool obeyed = tsr_commands_obey(run->commands, run->scop, run->asked, result->deps, result, &why);
  bool quota = isl_ctx_last_error(run->scop->ctx) == isl_error_quota;
  bool good = obeyed && isl_ctx_last_error(run->scop->ctx) == isl_error_none;
  if (!good)
    stop(run, why && !quota ? TSR_BAD_COMMANDS : TSR_ERROR, why);
  free(why);
  return good;
}

/* Is the choice ours, not the user's? */
static bool is_limited(const struct tsr_run *run)
{
  const struct tsr_options *opt = run->asked;
  return !opt->force && !opt->influence && !opt->strategy_file && !run->commands;
}

/* What finding a change that is worth it may use of the budget, in words, too. Models with elements for scalars are made
 * where such a change is likely. */
static double share_of_choice(const struct tsr_run *run, const char **words)
{
  struct tsr_scop *scop = run->scop;
  if (!is_limited(run))
    return *words = "", 1;
  if (run->panels || tsr_scop_is_pipeline(scop) || tsr_scop_is_long_pipeline(scop) || tsr_scop_has_expanded(scop))
    return *words = "seven tenths of ", SHARE_OF_LIKELY;
  return *words = "a third of ", SHARE_OF_CHOICE;
}

/* Tiles or not, the scheduler's tree or the original one: the cheapest wins, unless the options ask for something. */
static bool stage_tile(struct tsr_run *run)
{
  if (run->commands)
    return obey(run);
  const char *words;
  run->panels = is_limited(run) && tsr_run_may_have_panels(run);
  if (run->panels) {
    tsr_budget_end_trial(run->scop->ctx, run->choice);
    run->choice = tsr_budget_begin_trial(run->scop->ctx, share_of_choice(run, &words));
  }
  tsr_run_choose_tree(run);
  if (!run->result->n_variant || isl_ctx_last_error(run->scop->ctx) != isl_error_none)
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
  (void)user;
  return isl_bool_ok(!tsr_node_is_mark(node, TSR_MARK_INTERLEAVE));
}

/* RANGE, of parameters, may be NULL; and also MORE. */
static isl_set *narrow(__isl_take isl_set *range, __isl_take isl_set *more)
{
  return range ? isl_set_intersect(range, more) : more;
}

/* RANGE, and when strips or chains of TREE are worth it, if it has any. */
static isl_set *restrict_range(struct tsr_scop *scop, isl_schedule *tree, __isl_take isl_set *range)
{
  isl_schedule_node *root = isl_schedule_get_root(tree);
  bool strips = isl_schedule_node_every_descendant(root, is_no_strip, NULL) != isl_bool_true;
  bool chains = isl_schedule_node_every_descendant(root, is_no_interleave, NULL) != isl_bool_true;
  isl_schedule_node_free(root);
  if (!strips && !chains)
    return range;
  return narrow(range, strips ? tsr_strips_range(scop, 1) : tsr_interleave_range(scop, tree));
}

/* Panels that aren't copied are for arrays that exceed the cache by this: QR by rows of matrices of 2.2 MB, with 2 MB of
 * cache, took 1.1 times as long in panels as without, of 4 MB 0.75 times. */
#define MUCH_DATA 2

/* The same, where TREE has panels. */
static isl_set *restrict_panels(struct tsr_run *run, isl_schedule *tree, __isl_take isl_set *range)
{
  struct tsr_panel panel;
  isl_schedule_node *root = isl_schedule_get_root(tree), *node = isl_schedule_node_child(root, 0);
  if (tsr_mark_panel(tsr_node_mark(node), run->scop, &panel))
    range = narrow(range, tsr_panels_range(run->scop, &panel));
  else if (tsr_node_is_panels(node))
    range = narrow(range, tsr_strips_range(run->scop, MUCH_DATA));
  isl_schedule_node_free(node);
  return range;
}

/* When is the result worth it? False: never. */
static bool find_range(struct tsr_run *run)
{
  struct tsr_result *result = run->result;
  isl_set *range = NULL;
  for (int i = 0; i < result->n_variant; i++) {
    struct tsr_program *program = result->variant[i].program;
    range = restrict_range(program ? program->scop : run->scop, result->variant[i].tree, range);
    range = restrict_panels(run, result->variant[i].tree, range);
  }
  for (int i = 0; i < result->n_variant; i++) {
    isl_set_free(result->variant[i].condition.when);
    result->variant[i].condition.when = isl_set_copy(range);
  }
  if (!range)
    return true;
  isl_set *known = tsr_scop_known(run->scop);
  isl_bool never = isl_set_is_disjoint(range, known);
  isl_set_free(known);
  isl_set_free(range);
  return never == isl_bool_false;
}

/* Free what VARIANT has. */
static void variant_clear(struct tsr_variant *variant)
{
  isl_set_free(variant->condition.when);
  tsr_sizes_free(variant->condition.sizes);
  isl_schedule_free(variant->tree);
  isl_schedule_free(variant->schedule);
  free(variant->steps);
  free(variant->rates);
  tsr_program_free(variant->program);
  tsr_program_free(variant->packed);
  tsr_transfers_free(variant->transfer, variant->n_transfer);
  isl_ast_node_free(variant->original);
  isl_ast_node_free(variant->ast);
  *variant = (struct tsr_variant){0};
}

/* Leave the first N variants of RESULT alone. */
static void keep_variants(struct tsr_result *result, int n)
{
  for (int i = n; i < TSR_MAX_VARIANTS; i++)
    variant_clear(&result->variant[i]);
  result->n_variant = n < result->n_variant ? n : result->n_variant;
}

/* Is the variant for one thread, the last, worth it? If not, but that for threads is, one thread keeps the original. */
static void find_profit(struct tsr_run *run)
{
  struct tsr_result *result = run->result;
  isl_schedule *alone = result->variant[result->n_variant - 1].tree, *tree = result->variant[0].tree;
  result->profit = tsr_profit_estimate(run->scop, alone, run->n_check, false, &result->before, &run->after);
  struct tsr_program *program = result->variant[0].program;
  bool programs = program && result->variant[result->n_variant - 1].program; /* their stages do better one by one */
  if (result->profit.worth || !run->opt->parallel || run->opt->force || programs)
    return;
  struct tsr_estimate before = {0}, with_threads = {0};
  if (program && tsr_tree_cost(program->scop, tree, true, true, &with_threads, NULL) < 0)
    return;
  struct tsr_profit profit = tsr_profit_estimate(run->scop, tree, run->n_check, true, &before, &with_threads);
  if (!profit.worth)
    return;
  result->profit = profit;
  result->variant[0].condition.threads = true;
  keep_variants(result, 1);
}

/* Does the model with arrays in place of scalars gain too little to be chosen (tsr_result_is_better)? */
static bool gains_too_little(const struct tsr_run *run)
{
  struct tsr_result *result = run->result;
  return is_limited(run) && !run->opt->parallel && run->opt->expand == TSR_EXPAND_PAYS && tsr_scop_has_expanded(run->scop) &&
         !tsr_result_is_better(result, NULL);
}

static bool stage_profit(struct tsr_run *run)
{
  struct tsr_result *result = run->result;
  if (run->commands && !result->where_it_pays)
    return true;
  if (!run->commands)
    find_profit(run);
  if (run->opt->force && isl_ctx_last_error(run->scop->ctx) == isl_error_none)
    return true;
  bool worth = run->commands || result->profit.worth;
  if (worth && gains_too_little(run))
    return stop(run, TSR_UNPROFITABLE, tsr_not_lower);
  if (worth && !find_range(run) && isl_ctx_last_error(run->scop->ctx) == isl_error_none)
    return stop(
        run, TSR_UNPROFITABLE,
        "the arrays of the stencil fit into the cache, its loops are short, or its rows share one place in the cache");
  if (isl_ctx_last_error(run->scop->ctx) != isl_error_none)
    return stop(run, TSR_ERROR, NULL);
  if (worth)
    tsr_budget_extend(run->scop->ctx, SHARE_TO_FINISH);
  return worth ? true : stop(run, TSR_UNPROFITABLE, result->profit.reason);
}

/* Is VARIANT legal? *WHY not. */
static isl_bool check_variant(struct tsr_run *run, const struct tsr_variant *variant, char **why)
{
  enum tsr_relaxation relaxed = run->opt->relax_reductions ? TSR_RELAXED : run->result->exact ? TSR_EXACT : TSR_STRICT;
  struct tsr_program *program = tsr_variant_program(variant);
  if (program)
    return tsr_check_program(program, relaxed, why);
  return run->opt->relax_reductions ? tsr_check_schedule_relaxed(run->scop, variant->tree, why)
         : run->result->exact       ? tsr_check_schedule_exact(run->scop, variant->tree, why)
                                    : tsr_check_schedule(run->scop, variant->tree, why);
}

/* Can the code of AST be emitted? */
static bool is_good(isl_ast_node *ast)
{
  return tsr_register_nests_are_good(ast) && tsr_lockstep_nests_are_good(ast);
}

/* The AST of VARIANT, if it has none yet. Can its code be emitted? Not if there is none. */
static bool build_ast(struct tsr_run *run, struct tsr_variant *variant)
{
  struct tsr_program *program = tsr_variant_program(variant);
  if (!variant->ast)
    variant->ast = program ? tsr_program_ast(program) : tsr_scop_ast(run->scop, variant->tree);
  return variant->ast && is_good(variant->ast);
}

/* The panels of VARIANT as an array, as in one before it that differs in its threads alone: what is right there is so here.
 * NULL: there is none. */
static struct tsr_program *known_panels(struct tsr_run *run, const struct tsr_variant *variant)
{
  struct tsr_program *program = NULL;
  for (const struct tsr_variant *other = run->result->variant; other < variant && !program; other++)
    program = other->panels ? tsr_panel_array_alone(other->packed, other->tree, variant->tree) : NULL;
  return program;
}

/* Is there as much left of the budget as panels in an array may take, and as much again for a tree without? */
static bool can_afford_panels(struct tsr_run *run)
{
  unsigned long most = isl_ctx_get_max_operations(run->scop->ctx), used = tsr_budget_used(run->scop->ctx);
  unsigned long enough = PANELS_BY_DEPENDENCES * run->result->cost[TSR_STAGE_DEPENDENCES].operations;
  return !most || (most > used && (double)(most - used) * SHARE_OF_PANELS > (double)enough);
}

/* VARIANT, whose packed operands aren't arrays, with its panels as one; false, and it is as it was: there are none, or that
 * isn't legal, or would take too many operations. */
static bool use_panels(struct tsr_run *run, struct tsr_variant *variant)
{
  if (variant->program || variant->packed || !can_afford_panels(run))
    return false;
  char *why = NULL;
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_PANELS);
  variant->packed = known_panels(run, variant);
  bool known = variant->packed != NULL;
  if (!known)
    variant->packed = tsr_tree_panel_array(run->scop, variant->tree);
  bool good = known || (variant->packed && check_variant(run, variant, &why) == isl_bool_true);
  good = good && build_ast(run, variant);
  variant->panels = tsr_budget_end_trial(run->scop->ctx, trial) && good;
  if (!variant->panels) {
    variant->packed = tsr_program_free(variant->packed);
    variant->ast = isl_ast_node_free(variant->ast);
  }
  free(why);
  return variant->panels;
}

/* The packed operands of VARIANT, or its panels, become arrays, and it is checked: is it legal? *WHY not. */
static isl_bool make_arrays(struct tsr_run *run, struct tsr_variant *variant, char **why)
{
  if (!variant->packed)
    variant->packed = variant->program ? tsr_program_pack(variant->program) : tsr_tree_pack(run->scop, variant->tree);
  return use_panels(run, variant) ? isl_bool_true : check_variant(run, variant, why);
}

static bool stage_check(struct tsr_run *run)
{
  char *why = NULL;
  isl_bool legal = isl_bool_true;
  for (int i = 0; i < run->result->n_variant && legal == isl_bool_true; i++)
    legal = make_arrays(run, &run->result->variant[i], &why);
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
static bool try_again(struct tsr_run *run)
{
  run->registers--;
  run->opt = tsr_run_is_for_one_core(run) ? &run->one_core : run->asked;
  run->bare = isl_schedule_free(run->bare);
  keep_variants(run->result, 0);
  return stage_tile(run) && stage_profit(run) && stage_check(run);
}

/* The variant for one thread of a CPU; NULL: there is none. */
static struct tsr_variant *find_alone(struct tsr_result *result)
{
  struct tsr_variant *last = result->n_variant > 0 ? &result->variant[result->n_variant - 1] : NULL;
  if (last && last->condition.gpu) /* of commands */
    last = result->n_variant > 1 ? last - 1 : NULL;
  if (last && last > result->variant && !last[-1].condition.threads) /* one for smaller sizes is behind it */
    last--;
  return last;
}

/* Does most of the code wait for memory? Only vectors of which LLVM makes halves depend on that. Told from the variant
 * alone, not from how it was found: commands that make the same make the same code. */
static bool is_streaming(struct tsr_run *run)
{
  const struct tsr_variant *alone = find_alone(run->result);
  if (!alone || run->scop->machine.vector_bytes <= HALF_VECTOR)
    return false;
  struct tsr_estimate estimate = {0};
  struct tsr_scop *scop = alone->program ? alone->program->scop : run->scop;
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_SIZES);
  isl_stat ok = tsr_tree_cost(scop, alone->tree, true, false, &estimate, NULL);
  return tsr_budget_end_trial(run->scop->ctx, trial) && ok == isl_stat_ok && estimate.streams;
}

/* From which sizes on is the result worth it? False: never. Where threads are needed they have a test of their own, and what
 * a user asks for is done. A test that takes too many operations is left out. */
static bool find_sizes(struct tsr_run *run)
{
  struct tsr_result *result = run->result;
  const struct tsr_variant *alone = find_alone(result);
  if (!alone)
    return true;
  const struct tsr_options *opt = run->asked;
  bool asked = opt->force || opt->influence || opt->strategy_file || (run->commands && !result->where_it_pays);
  if (asked || alone->condition.threads)
    return true;
  struct tsr_trial trial = tsr_budget_begin_reserve(run->scop->ctx, SHARE_OF_SIZES, LEAST_OF_SIZES);
  result->sizes = tsr_sizes_free(result->sizes);
  bool worth = tsr_run_find_sizes(run, alone, &result->sizes);
  if (!tsr_budget_end_trial(run->scop->ctx, trial))
    result->sizes = tsr_sizes_free(result->sizes);
  return worth;
}

/* Where the variant for one thread is for large sizes: one more for smaller ones, which may be there by command. What isn't
 * found within a part of the budget isn't there, and what can't run at any size isn't, either. */
static void find_small(struct tsr_run *run)
{
  struct tsr_result *result = run->result;
  struct tsr_variant *alone = find_alone(result);
  int n = alone ? (int)(alone - result->variant) + 1 : 0;
  bool last = result->n_variant == n, there = !last && !result->variant[n].condition.gpu;
  if (!alone || (!last && !there))
    return;
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_SMALL);
  struct tsr_small_sizes sizes = {.front = NULL};
  bool good = result->sizes && !alone->condition.when && !alone->program && !run->asked->gpu && !run->asked->parallel;
  good = good && (there || tsr_run_make_small(run, &result->variant[n]));
  good = good && tsr_run_find_small_sizes(run, alone, &result->variant[n], &sizes);
  good = good && (there || tsr_run_check_small(run, &result->variant[n]));
  good = tsr_budget_end_trial(run->scop->ctx, trial) && good;
  if (good) {
    tsr_run_set_small_sizes(run, alone, &result->variant[n], &sizes);
    result->n_variant = n + 1;
  } else {
    tsr_small_sizes_clear(&sizes);
    keep_variants(result, n);
  }
}

/* May there be a program that leaves arrays out? Of that no bound says anything. */
static bool may_leave_out(const struct tsr_run *run)
{
  bool may = false;
  for (int a = 0; a < run->scop->n_array; a++)
    may |= run->scop->arrays[a].kind == TSR_ARRAY_MEMORY && !run->scop->arrays[a].live_out;
  return may && tsr_search_may_have_programs(run);
}

/* The trees are too dear at all sizes: is a program better, that leaves innermost loops as they are? What was found of the
 * costs is kept if it isn't. */
static bool try_program(struct tsr_run *run)
{
  struct tsr_result *result = run->result;
  if (run->commands || !is_limited(run) || run->asked->parallel || result->n_variant != 1 || result->variant[0].program ||
      !may_leave_out(run))
    return false;
  struct tsr_profit profit = result->profit;
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_PROGRAMS);
  run->tiles_alone = true;
  run->after = (struct tsr_estimate){0};
  keep_variants(result, 0);
  bool good = stage_tile(run) && result->variant[0].steps && stage_profit(run) && stage_check(run) &&
              build_ast(run, &result->variant[0]) && find_sizes(run);
  good = tsr_budget_end_trial(run->scop->ctx, trial) && good;
  if (!good)
    result->profit = profit;
  return good;
}

static bool stage_ast(struct tsr_run *run)
{
  struct tsr_result *result = run->result;
  bool good, built;
  do {
    good = built = true;
    for (int i = 0; i < result->n_variant; i++) {
      good &= build_ast(run, &result->variant[i]);
      built &= result->variant[i].ast != NULL;
    }
    if (!built)
      return stop(run, TSR_ERROR, NULL);
  } while (!good && !run->commands && try_again(run));
  if (!good)
    return run->commands && stop(run, TSR_BAD_COMMANDS, "isl makes loops of this that can't be emitted");
  bool worth = find_sizes(run) || try_program(run);
  if (worth)
    find_small(run);
  result->profit.streams = worth && is_streaming(run);
  if (isl_ctx_last_error(run->scop->ctx) != isl_error_none) /* what was found may lack parts */
    return stop(run, TSR_ERROR, NULL);
  if (result->verdict == TSR_CHECK_FAILED) /* of that program */
    return false;
  return worth || stop(run, TSR_UNPROFITABLE, "its loops are too short to gain from a transformation");
}

/* What is missing of a variant for a GPU that is commanded. */
static void finish_gpu(struct tsr_run *run)
{
  struct tsr_result *result = run->result;
  if (result->verdict != TSR_OK || result->n_variant == 0)
    return;
  struct tsr_variant *last = &result->variant[result->n_variant - 1];
  if (last->condition.gpu && !tsr_run_find_transfers(run, last))
    stop(run, TSR_BAD_COMMANDS, result->no_gpu);
}

/* Where the options allow a GPU: one variant more, which may be the only one; what is found for the CPU stays. */
static void add_gpu(struct tsr_run *run)
{
  struct tsr_result *result = run->result;
  bool alone = result->verdict == TSR_UNPROFITABLE;
  if (!run->asked->gpu || run->commands || (result->verdict != TSR_OK && !alone))
    return;
  if (alone)
    keep_variants(result, 0);
  struct tsr_variant *variant = &result->variant[result->n_variant];
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_GPU);
  bool good = tsr_run_find_gpu(run, variant);
  good &= tsr_budget_end_trial(run->scop->ctx, trial);
  if (!good) {
    if (!result->no_gpu)
      result->no_gpu = sentence("the budget ran out");
    variant_clear(variant);
    return;
  }
  variant->condition.gpu = true;
  result->n_variant++;
  if (alone) {
    result->verdict = TSR_OK;
    result->stage = TSR_STAGE_AST;
  }
}

void tsr_result_drop_gpu(struct tsr_result *result, const char *why)
{
  if (result->n_variant == 0 || !result->variant[result->n_variant - 1].condition.gpu)
    return;
  keep_variants(result, result->n_variant - 1);
  free(result->no_gpu);
  result->no_gpu = sentence(why);
  if (result->n_variant > 0)
    return;
  result->verdict = result->commanded ? TSR_BAD_COMMANDS : TSR_UNPROFITABLE;
  free(result->why);
  result->why = sentence(why);
}

static bool stage_run(struct tsr_run *run)
{
  /* Execution needs parameter values: the caller goes on with tsr_interp_compare on the AST. */
  (void)run;
  return true;
}

/* Is it clear from domains and scalars alone that stage profit would say no? Whoever asks for more than the verdict gets
 * all. */
static bool is_hopeless(struct tsr_run *run, enum tsr_stage until)
{
  const char *reason;
  const struct tsr_options *opt = run->asked;
  if (until <= TSR_STAGE_PROFIT || run->commands || opt->force || opt->influence || opt->print != TSR_PRINT_NONE)
    return false;
  isl_bool hopeless = tsr_profit_is_hopeless(run->scop, &reason);
  if (hopeless == isl_bool_false && !opt->parallel && !opt->relax_reductions && !may_leave_out(run)) {
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
static void explain_error(struct tsr_run *run)
{
  char text[512];
  isl_ctx *ctx = run->scop->ctx;
  const char *stage = tsr_stage_name(run->result->stage), *message = isl_ctx_last_error_msg(ctx);
  if (isl_ctx_last_error(ctx) == isl_error_quota) {
    run->result->verdict = TSR_BUDGET;
    const char *share;
    share_of_choice(run, &share);
    snprintf(text, sizeof(text), "%sthe budget of %lu isl operations ran out in stage %s",
             run->result->stage <= TSR_STAGE_TILE ? share : "", run->opt->budget, stage);
  } else {
    snprintf(text, sizeof(text), "stage %s failed: %s", stage, message ? message : "out of memory");
  }
  free(run->result->why);
  run->result->why = sentence(text);
}

/* The user's commands for the SCoP, if there are any. False: they can't be read. */
static bool find_commands(struct tsr_run *run)
{
  char *error = NULL;
  run->commands = tsr_commands_of(run->scop, run->asked, &error);
  if (run->commands && !tsr_commands_fit(run->commands, run->scop, run->result))
    run->commands = tsr_commands_free(run->commands);
  run->result->commanded = run->commands != NULL;
  if (error)
    stop(run, TSR_BAD_COMMANDS, error);
  bool good = !error;
  free(error);
  return good;
}

double (*tsr_pipeline_clock)(void);

static double seconds(void)
{
  return tsr_pipeline_clock ? tsr_pipeline_clock() : 0;
}

/* Run STAGE and note what it cost. */
static bool run_stage(struct tsr_run *run, bool (*stage)(struct tsr_run *))
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
  static bool (*const stages[TSR_N_STAGE])(struct tsr_run *) = {stage_dependences, stage_schedule, stage_tile, stage_profit,
                                                                stage_check,       stage_ast,      stage_run};
  struct tsr_result *result = calloc(1, sizeof(*result));
  if (!result)
    return NULL;
  struct tsr_run run = {.scop = scop,
                        .asked = opt,
                        .one_core = *opt,
                        .n_check = n_check,
                        .until = until,
                        .registers = MASKED,
                        .result = result};
  int on_error = isl_options_get_on_error(scop->ctx);

  isl_options_set_on_error(scop->ctx, ISL_ON_ERROR_CONTINUE);
  isl_ctx_reset_error(scop->ctx);
  tsr_budget_begin(scop->ctx, opt->budget);

  run.one_core.parallel = false;
  run.opt = tsr_run_is_for_one_core(&run) ? &run.one_core : opt;
  result->verdict = TSR_OK;
  bool ordered = find_commands(&run);
  result->threads = opt->parallel;
  const char *words;
  run.choice = tsr_budget_begin_trial(scop->ctx, share_of_choice(&run, &words));
  bool hopeless = ordered && is_hopeless(&run, until);
  for (int stage = 0; ordered && !hopeless && stage <= (int)until && stage < TSR_N_STAGE; stage++) {
    result->stage = stage;
    if (!run_stage(&run, stages[stage]))
      break;
    if (stage == TSR_STAGE_TILE)
      tsr_budget_end_trial(scop->ctx, run.choice);
  }
  if (until >= TSR_STAGE_AST && run.commands)
    finish_gpu(&run);
  else if (until >= TSR_STAGE_AST)
    add_gpu(&run);
  if (result->verdict == TSR_ERROR)
    explain_error(&run);

  isl_schedule_free(run.bare);
  isl_schedule_free(run.in_order);
  isl_ast_node_free(run.original);
  free(run.steps);
  variant_clear(&run.plain);
  tsr_commands_free(run.commands);
  result->operations = tsr_budget_end(scop->ctx);
  isl_options_set_on_error(scop->ctx, on_error);
  return result;
}

struct tsr_result *tsr_result_free(struct tsr_result *result)
{
  if (!result)
    return NULL;
  free(result->why);
  free(result->trace);
  for (int i = 0; i < result->n_obeyed; i++)
    free(result->obeyed[i].left);
  free(result->obeyed);
  free(result->commands);
  free(result->no_gpu);
  tsr_sizes_free(result->sizes);
  free(result->best);
  free(result->candidate);
  free(result->original);
  tsr_deps_free(result->deps);
  isl_schedule_free(result->schedule);
  keep_variants(result, 0);
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
