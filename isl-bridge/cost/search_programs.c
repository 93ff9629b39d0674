/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The choice of a program: is one with buffers cheaper than the best tree? Made of the original order, of which stages of a
 * pipeline are nests one behind the other, by rows that are about whole programs. */
#include "cost/search.h"
#include "model/thresholds.h"
#include "support/message.h"
#include <stdlib.h>

/* What PROGRAM, marked, costs on one core or with THREADS. */
static isl_stat program_cost(struct tsr_run *run, struct tsr_program *program, bool threads, struct tsr_estimate *estimate)
{
  struct tsr_scop *scop = program->scop;
  double *by_stmt = calloc(scop->n_stmt + 1, sizeof(*by_stmt));
  double *by_origin = calloc(run->scop->n_stmt + 1, sizeof(*by_origin));
  isl_stat ok = by_stmt && by_origin ? tsr_tree_cost(scop, program->tree, true, threads, estimate, by_stmt) : isl_stat_error;
  for (int i = 0; i < scop->n_stmt && ok == isl_stat_ok; i++) {
    int origin = tsr_stmt_original(program, &scop->stmts[i]);
    if (origin >= 0)
      by_origin[origin] += by_stmt[i];
  }
  free(by_stmt);
  if (ok == isl_stat_ok)
    tsr_search_keep_best(run, by_origin);
  else
    free(by_origin);
  estimate->leaves_out = tsr_program_leaves_out(program);
  return ok;
}

/* What the original order costs on one core; below 0: isl failed. */
static double original_cost(struct tsr_run *run)
{
  struct tsr_estimate *before = &run->result->before;
  if (before->instances == 0 && tsr_tree_cost(run->scop, run->scop->schedule, false, false, before, NULL) < 0)
    return -1;
  return before->cost;
}

/* PROGRAM with marks as OPT allows them. */
static struct tsr_program *mark(struct tsr_program *program, const struct tsr_options *opt)
{
  struct tsr_program *marked = tsr_program_copy(program);
  isl_schedule *tree = tsr_tree_mark(isl_schedule_copy(marked->tree), marked->scop, opt, TSR_WHICH_OUTERMOST);
  return tsr_program_set_tree(marked, tree);
}

/* Let VARIANT be PROGRAM, which is taken, by STEPS (malloc'd). */
static void set_variant(struct tsr_variant *variant, __isl_take struct tsr_program *program, char *steps)
{
  isl_schedule_free(variant->tree);
  isl_schedule_free(variant->schedule);
  free(variant->steps);
  free(variant->rates);
  *variant = (struct tsr_variant){.tree = isl_schedule_copy(program->tree), .program = program, .steps = steps};
}

bool tsr_search_may_have_programs(const struct tsr_run *run)
{
  const struct tsr_options *opt = run->asked;
  return !run->result->trace && !opt->n_tile_sizes && !opt->relax_reductions && !run->scop->no_buffers &&
         opt->strategy == TSR_STRATEGY_DEFAULT && !opt->strategy_file && tsr_scop_has_stages(run->scop);
}

/* Take PROGRAM, made by STEP, with marks. */
static void take(struct tsr_run *run, struct tsr_program *program, const char *step, __isl_take struct tsr_program *alone)
{
  struct tsr_result *result = run->result;
  struct tsr_program *shared = run->asked->parallel ? mark(program, run->asked) : NULL;
  bool two = shared && isl_schedule_plain_is_equal(shared->tree, alone->tree) == isl_bool_false;
  char *steps = tsr_search_add_marks(run, step, TSR_WHICH_OUTERMOST); /* of one core */
  run->opt = run->asked;
  if (two) {
    set_variant(&result->variant[0], shared, tsr_search_add_marks(run, step, TSR_WHICH_OUTERMOST));
    result->variant[0].condition.threads = true;
  } else {
    tsr_program_free(shared);
  }
  set_variant(&result->variant[two], alone, steps);
  result->n_variant = 1 + two;
}

struct tsr_choice {
  struct tsr_program *program, *alone; /* without marks, with those for one core */
  char *steps;                         /* that make it of the original order */
  struct tsr_estimate estimate;        /* of ALONE */
  bool known;                          /* could it be estimated? */
};

static void choice_clear(struct tsr_choice *choice)
{
  tsr_program_free(choice->program);
  tsr_program_free(choice->alone);
  free(choice->steps);
  *choice = (struct tsr_choice){0};
}

/* CHOICE of PROGRAM, which is taken and may be NULL, made by STEPS, too. */
static void choice_set(struct tsr_run *run, struct tsr_choice *choice, __isl_take struct tsr_program *program, char *steps)
{
  *choice = (struct tsr_choice){.program = program, .alone = program ? mark(program, &run->one_core) : NULL, .steps = steps};
  choice->known = choice->alone && program_cost(run, choice->alone, false, &choice->estimate) == isl_stat_ok;
}

/* CHOICE with innermost loops in parts in which accesses have one form, if that is cheaper. */
static void try_parts(struct tsr_run *run, struct tsr_choice *choice)
{
  char *step = NULL, *steps = NULL;
  if (!choice->known || !tsr_scop_has_forms(choice->program->scop))
    return;
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_PROGRAMS);
  struct tsr_program *parts = tsr_search_go_on(run, tsr_program_copy(choice->program), NULL, "separate", NULL, 0, &step);
  if (parts && choice->steps && step)
    tsr_message_set(&steps, "%s%s", choice->steps, step);
  struct tsr_choice other;
  choice_set(run, &other, parts, steps);
  free(step);
  bool better = tsr_budget_end_trial(run->scop->ctx, trial) && other.known && other.estimate.cost < choice->estimate.cost;
  choice_clear(better ? choice : &other);
  if (better)
    *choice = other;
}

struct tsr_choice *tsr_choice_free(struct tsr_choice *choice)
{
  if (choice)
    choice_clear(choice);
  free(choice);
  return NULL;
}

struct tsr_choice *tsr_search_find_program(struct tsr_run *run)
{
  char *step = NULL;
  bool may = tsr_search_may_have_programs(run) && isl_ctx_last_error(run->scop->ctx) == isl_error_none;
  struct tsr_choice *choice = may ? calloc(1, sizeof(*choice)) : NULL;
  if (!choice)
    return NULL;
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_PROGRAMS);
  struct tsr_program *program =
      tsr_search_apply(run, run->scop->schedule, run->result->deps, "overlapped_tiles", NULL, 0, &step);
  choice_set(run, choice, program, step);
  choice->known = tsr_budget_end_trial(run->scop->ctx, trial) && choice->known;
  try_parts(run, choice);
  return choice;
}

bool tsr_choice_is_clear(struct tsr_run *run, const struct tsr_choice *choice)
{
  double most = choice && choice->estimate.leaves_out ? MIN_GAIN_OF_LESS : MIN_GAIN;
  return choice && choice->known && choice->estimate.cost < most * original_cost(run);
}

bool tsr_search_take_program(struct tsr_run *run, struct tsr_choice *choice, double *best)
{
  if (!choice)
    return false;
  double limit = run->after.instances > 0 ? run->after.cost : *best; /* *BEST may ask for more than a little less */
  bool taken = choice->known && choice->estimate.cost < limit && choice->estimate.cost < original_cost(run);
  tsr_search_enter(run, "overlapped tiles", choice->steps);
  if (choice->known)
    tsr_search_note(run, choice->estimate.cost, taken);
  if (taken) {
    take(run, choice->program, choice->steps, choice->alone);
    choice->alone = NULL;
    run->after = choice->estimate;
    *best = choice->estimate.cost;
  }
  tsr_search_leave(run);
  return taken;
}
