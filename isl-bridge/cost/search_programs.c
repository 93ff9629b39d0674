/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The choice of a program: is one with buffers cheaper than the best tree? Made of the original order, of which stages of a
 * pipeline are nests one behind the other, by rows that are about whole programs. */
#include "cost/search.h"
#include "model/thresholds.h"
#include <stdlib.h>

/* Does some statement read what another one in front of it writes to an array? */
static bool has_stages(const struct tsr_scop *scop)
{
  for (int s = 0; s < scop->n_stmt; s++)
    for (int k = 0; k < scop->stmts[s].n_access; k++) {
      const struct tsr_access *write = &scop->stmts[s].access[k];
      if (write->kind != TSR_MUST_WRITE || scop->arrays[write->array].kind != TSR_ARRAY_MEMORY)
        continue;
      for (int t = s + 1; t < scop->n_stmt; t++)
        for (int l = 0; l < scop->stmts[t].n_access; l++)
          if (scop->stmts[t].access[l].array == write->array && scop->stmts[t].access[l].kind == TSR_READ)
            return true;
    }
  return false;
}

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

/* Is it for the search to look for programs? */
static bool may_have_programs(struct tsr_run *run)
{
  const struct tsr_options *opt = run->asked;
  return !run->result->trace && !opt->n_tile_sizes && !opt->relax_reductions && !run->scop->no_buffers &&
         opt->strategy == TSR_STRATEGY_DEFAULT && !opt->strategy_file && has_stages(run->scop);
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

bool tsr_search_programs(struct tsr_run *run, double *best)
{
  if (!may_have_programs(run) || isl_ctx_last_error(run->scop->ctx) != isl_error_none)
    return false;
  char *step = NULL;
  struct tsr_estimate estimate = {0};
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_PROGRAMS);
  struct tsr_program *program =
      tsr_search_apply(run, run->scop->schedule, run->result->deps, "overlapped_tiles", NULL, 0, &step);
  struct tsr_program *alone = program ? mark(program, &run->one_core) : NULL;
  bool known = alone && program_cost(run, alone, false, &estimate) == isl_stat_ok;
  known = tsr_budget_end_trial(run->scop->ctx, trial) && known;
  double limit = run->after.instances > 0 ? run->after.cost : *best; /* *BEST may ask for more than a little less */
  bool taken = known && estimate.cost < limit && estimate.cost < original_cost(run);
  tsr_search_enter(run, "overlapped tiles", step);
  if (known)
    tsr_search_note(run, estimate.cost, taken);
  if (taken) {
    take(run, program, step, alone);
    run->after = estimate;
    *best = estimate.cost;
  } else {
    tsr_program_free(alone);
  }
  tsr_search_leave(run);
  tsr_program_free(program);
  free(step);
  return taken;
}
