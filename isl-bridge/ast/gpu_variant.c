/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A variant for a GPU, beside those for the CPU:
 *
 *   schedules for threads -> wavefronts, kernels -> the one that takes the least time -> sums in registers -> check
 *                         -> transfers, AST
 *
 * Where sums in registers take too many of isl's operations, there are none. */
#include "ast/ast.h"
#include "cost/search.h"
#include "model/thresholds.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Say why there is none: "WHO WHY". Always false. */
static bool refuse(struct tsr_run *run, const char *who, const char *why)
{
  char text[320];
  snprintf(text, sizeof(text), "%s%s%s", who, *who ? " " : "", why);
  free(run->result->no_gpu);
  run->result->no_gpu = strdup(text);
  return false;
}

/* ---- the schedule ---- */

/* SCHEDULE (may be NULL), which is taken, in *BEST, if its kernels take less than *TIME. */
static void try_schedule(struct tsr_run *run, __isl_take isl_schedule *schedule, isl_schedule **best, double *time)
{
  struct tsr_options opt = *run->asked;
  opt.parallel = true; /* what is outside is to be parallel */
  isl_schedule *tree = schedule ? tsr_tree_kernels(isl_schedule_copy(schedule), run->scop, run->result->deps, &opt) : NULL;
  double lonely = 0, own = tree ? tsr_kernels_time(tree, run->scop, &lonely) : -1;
  isl_schedule_free(tree);
  if (own < 0 || own >= *time || lonely > MOST_LONELY * own) {
    isl_schedule_free(schedule);
    return;
  }
  isl_schedule_free(*best);
  *best = schedule;
  *time = own;
}

/* The schedule by STRATEGY, unless the options ask for another one. */
static isl_schedule *schedule_by(struct tsr_run *run, enum tsr_strategy strategy)
{
  struct tsr_options opt = *run->asked;
  opt.parallel = true;
  opt.strategy = run->asked->strategy == TSR_STRATEGY_DEFAULT ? strategy : run->asked->strategy;
  return tsr_schedule_compute(run->scop, run->result->deps, &opt, NULL, NULL);
}

/* SCHEDULE, with loops split at the one iteration that the others wait for. NULL: there are none. */
static isl_schedule *split(struct tsr_run *run, __isl_take isl_schedule *schedule)
{
  isl_schedule *inner = tsr_tree_split(schedule, run->result->deps, false);
  isl_schedule *outer = inner ? tsr_tree_split(isl_schedule_copy(inner), run->result->deps, true) : NULL;
  if (outer)
    isl_schedule_free(inner);
  return outer ? outer : inner;
}

static isl_schedule *find_schedule(struct tsr_run *run)
{
  static const enum tsr_strategy strategies[] = {TSR_STRATEGY_DEFAULT, TSR_STRATEGY_FEAUTRIER, TSR_STRATEGY_ORIGINAL};
  isl_schedule *best = NULL;
  double time = HUGE_VAL;
  for (size_t i = 0; i < sizeof(strategies) / sizeof(*strategies); i++)
    try_schedule(run, schedule_by(run, strategies[i]), &best, &time);
  try_schedule(run, split(run, isl_schedule_copy(run->scop->schedule)), &best, &time);
  return best;
}

/* ---- the program ---- */

/* What an instance of the SCoP takes on one core in the variant before GPU, or in the original order where there is none:
 * told from these alone, so that it is the same whoever made them, the search or commands. */
static double cycles_of_instance(struct tsr_run *run, const struct tsr_variant *gpu)
{
  const struct tsr_variant *cpu = gpu > run->result->variant ? gpu - 1 : NULL;
  struct tsr_scop *scop = cpu && cpu->program ? cpu->program->scop : run->scop;
  struct tsr_estimate *before = &run->result->before, after = {0};
  if (before->instances == 0 && tsr_tree_cost(run->scop, run->scop->schedule, false, false, before, NULL) < 0)
    return 1;
  if (cpu && tsr_tree_cost(scop, cpu->tree, true, false, &after, NULL) < 0)
    return 1;
  return before->instances > 0 ? (cpu ? after.cost : before->cost) / before->instances : 1;
}

bool tsr_run_find_transfers(struct tsr_run *run, struct tsr_variant *variant)
{
  int array = 0;
  const char *why = NULL;
  variant->n_transfer = run->scop->n_array;
  variant->transfer = calloc((size_t)run->scop->n_array + 1, sizeof(*variant->transfer));
  if (!variant->transfer || !tsr_transfers_find(run->scop, variant->program, variant->transfer, &array, &why))
    return refuse(run, why ? run->scop->arrays[array].name : "", why ? why : "isl failed");
  variant->cycles = cycles_of_instance(run, variant);
  isl_ast_node_free(variant->original);
  variant->original = tsr_scop_ast(run->scop, run->scop->schedule);
  return variant->original || refuse(run, "", "isl failed");
}

/* The program, AST and steps of VARIANT from its schedule, with tiles as VALUE, the row's three parameters, says (NULL: as
 * it pays). False: there are none that are right and can be emitted. */
static bool make_code(struct tsr_run *run, struct tsr_variant *variant, const char *const *value)
{
  char *step = NULL, *why = NULL;
  struct tsr_program *program =
      tsr_search_apply(run, variant->schedule, run->result->deps, "kernels", value, value ? 3 : 0, &step);
  isl_bool legal = program ? tsr_check_program(program, TSR_STRICT, &why) : isl_bool_error;
  isl_ast_node *ast = legal == isl_bool_true ? tsr_program_ast(program) : NULL;
  if (legal == isl_bool_false)
    refuse(run, "its kernels are not right:", why ? why : "");
  free(why);
  if (!ast) {
    free(step);
    tsr_program_free(program);
    return false;
  }
  variant->tree = isl_schedule_copy(program->tree);
  variant->steps = step;
  variant->ast = ast;
  if (program->scop != run->scop)
    variant->program = tsr_program_copy(program);
  tsr_program_free(program);
  return true;
}

/* The same, with what doesn't take too much of blocks that share what they read, and sums in registers. */
static bool find_code(struct tsr_run *run, struct tsr_variant *variant)
{
  static const char *const alone[] = {"0", "0", "1"}, *const plain[] = {"1", "1", "1"};
  const char *const *const values[] = {NULL, alone};
  isl_ctx *ctx = run->scop->ctx;
  for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
    struct tsr_trial trial = tsr_budget_begin_trial(ctx, SHARE_OF_GPU_TILES);
    bool good = make_code(run, variant, values[i]);
    if (tsr_budget_end_trial(ctx, trial) && good)
      return true;
    if (good || isl_ctx_last_error(ctx) != isl_error_none)
      return false;
  }
  return make_code(run, variant, plain);
}

bool tsr_run_find_gpu(struct tsr_run *run, struct tsr_variant *variant)
{
  for (int i = 0; i < run->scop->n_stmt; i++)
    if (run->scop->stmts[i].one_thread)
      return refuse(run, run->scop->stmts[i].name,
                    "calls a function that may set errno, of which each thread has its own: -fno-math-errno");
  if (!run->result->deps)
    run->result->deps = tsr_deps_compute(run->scop);
  variant->schedule = run->result->deps ? find_schedule(run) : NULL;
  if (!variant->schedule)
    return refuse(run, "", "no loops that do most of the work have iterations that may run at once");
  if (!tsr_run_find_transfers(run, variant))
    return false;
  if (!find_code(run, variant))
    return run->result->no_gpu ? false : refuse(run, "", "the budget ran out");
  if (!variant->program)
    return true;
  variant->transfer = tsr_transfers_free(variant->transfer, variant->n_transfer); /* its moves may need more */
  return tsr_run_find_transfers(run, variant);
}
