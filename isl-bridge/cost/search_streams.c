/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What was chosen, with loops that store past the caches: the last step, as nothing else changes by it. */
#include "cost/search.h"
#include "model/thresholds.h"
#include "support/message.h"
#include <stdlib.h>

/* Might loops of the result store past the caches? */
static bool may_stream(const struct tsr_run *run)
{
  const struct tsr_result *result = run->result;
  return run->scop->machine.stream_line > 0 && run->scop->machine.n_cache > 2 && !run->asked->parallel &&
         !run->asked->n_tile_sizes && result->n_variant == 1 && result->variant[0].tree && result->variant[0].steps &&
         isl_ctx_last_error(run->scop->ctx) == isl_error_none;
}

/* The program of VARIANT, of SCOP: a new one. */
static struct tsr_program *program_of(struct tsr_scop *scop, const struct tsr_variant *variant)
{
  return variant->program ? tsr_program_copy(variant->program) : tsr_program_alloc(scop, isl_schedule_copy(variant->tree));
}

/* What PROGRAM costs on one core. False: isl failed. */
static bool find_cost(struct tsr_program *program, struct tsr_estimate *estimate)
{
  return tsr_tree_cost(program->scop, program->tree, true, false, estimate, NULL) == isl_stat_ok;
}

/* May loops of VARIANT, estimated at ESTIMATE, be changed for this? Tiles that aren't worth it without run
 * where there is less data, too; and where there is more, what is stored past the caches has to come back for them
 * (distances in four dimensions, 1.7 times as slow). */
static bool is_open(struct tsr_run *run, const struct tsr_variant *variant, struct tsr_estimate *estimate)
{
  bool changed = estimate->tiles || estimate->lanes || estimate->strips || estimate->panels;
  return !changed || run->asked->force ||
         tsr_profit_estimate(run->scop, variant->tree, run->n_check, false, &run->result->before, estimate).worth;
}

/* Let VARIANT be PROGRAM, which is taken, by one STEP more. */
static void replace(struct tsr_variant *variant, __isl_take struct tsr_program *program, const char *step)
{
  char *steps = NULL;
  tsr_message_set(&steps, "%s%s", variant->steps, step);
  isl_schedule_free(variant->tree);
  variant->tree = isl_schedule_copy(program->tree);
  free(variant->steps);
  variant->steps = steps;
  if (!variant->program) {
    tsr_program_free(program);
    return;
  }
  tsr_program_free(variant->program);
  variant->program = program;
}

void tsr_search_streams(struct tsr_run *run)
{
  if (!may_stream(run))
    return;
  struct tsr_variant *variant = &run->result->variant[0];
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_STREAMS);
  char *step = NULL;
  struct tsr_estimate without = {0}, with = {0};
  struct tsr_program *before = program_of(run->scop, variant), *streamed = NULL;
  if (before)
    streamed = tsr_search_go_on(run, tsr_program_copy(before), run->result->deps, "stream", NULL, 0, &step);
  bool known = streamed && find_cost(before, &without) && find_cost(streamed, &with);
  bool better = tsr_budget_end_trial(run->scop->ctx, trial) && known && is_open(run, variant, &without) &&
                (run->asked->force || with.cost < MIN_GAIN_OF_STREAMS * without.cost);
  if (known) {
    tsr_search_enter(run, "stores past the caches", step);
    tsr_search_note(run, with.cost, better);
    tsr_search_leave(run);
  }
  if (better) {
    with.leaves_out = run->after.leaves_out;
    run->after = with;
    replace(variant, streamed, step);
  } else {
    tsr_program_free(streamed);
  }
  tsr_program_free(before);
  free(step);
}
