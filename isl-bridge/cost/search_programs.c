/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The choice of a program: is one that fuses stages of a pipeline, in tiles with buffers or row by row, cheaper than the
 * best tree? Made of the original order, of which stages are nests one behind the other, by rows that are about whole
 * programs. */
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

/* Let VARIANT be PROGRAM, which is taken, by STEPS (malloc'd) from SCHEDULE, NULL: the original order, on. */
static void set_variant(struct tsr_variant *variant, __isl_take struct tsr_program *program, isl_schedule *schedule,
                        char *steps)
{
  isl_schedule_free(variant->tree);
  isl_schedule_free(variant->schedule);
  free(variant->steps);
  free(variant->rates);
  *variant = (struct tsr_variant){
      .tree = isl_schedule_copy(program->tree), .schedule = isl_schedule_copy(schedule), .steps = steps};
  if (program->scop != program->original)
    variant->program = program;
  else
    tsr_program_free(program);
}

bool tsr_search_may_have_buffers(const struct tsr_run *run)
{
  const struct tsr_options *opt = run->asked;
  return !run->result->trace && !opt->n_tile_sizes && !opt->relax_reductions && !run->scop->no_buffers &&
         !run->scop->no_programs && opt->strategy == TSR_STRATEGY_DEFAULT && !opt->strategy_file;
}

bool tsr_search_may_have_programs(const struct tsr_run *run)
{
  return tsr_search_may_have_buffers(run) && tsr_scop_has_stages(run->scop);
}

/* Take PROGRAM, made of SCHEDULE by STEP, with marks. */
static void take(struct tsr_run *run, struct tsr_program *program, isl_schedule *schedule, const char *step,
                 __isl_take struct tsr_program *alone)
{
  struct tsr_result *result = run->result;
  struct tsr_program *shared = run->asked->parallel ? mark(program, run->asked) : NULL;
  bool two = shared && isl_schedule_plain_is_equal(shared->tree, alone->tree) == isl_bool_false;
  char *steps = tsr_search_add_marks(run, step, TSR_WHICH_OUTERMOST); /* of one core */
  run->opt = run->asked;
  if (two) {
    set_variant(&result->variant[0], shared, schedule, tsr_search_add_marks(run, step, TSR_WHICH_OUTERMOST));
    result->variant[0].condition.threads = true;
  } else {
    tsr_program_free(shared);
  }
  set_variant(&result->variant[two], alone, schedule, steps);
  result->n_variant = 1 + two;
}

void tsr_search_try_threads(struct tsr_run *run, struct tsr_program *program, isl_schedule *schedule, char *steps,
                            double limit)
{
  struct tsr_estimate estimate = {0};
  struct tsr_program *marked = program ? mark(program, run->opt) : NULL;
  bool known = marked && program_cost(run, marked, true, &estimate) == isl_stat_ok &&
               isl_ctx_last_error(run->scop->ctx) == isl_error_none; /* else it is of a part of it */
  if (known)
    tsr_search_note(run, estimate.cost, estimate.cost < limit);
  if (known && estimate.cost < limit) {
    set_variant(&run->result->variant[0], marked, schedule, steps);
  } else {
    tsr_program_free(marked);
    free(steps);
  }
  tsr_program_free(program);
}

struct tsr_choice {
  const char *what;
  struct tsr_program *program, *alone; /* without marks, with those for one core */
  isl_schedule *schedule;              /* that they are made of; NULL: the original order */
  char *steps;                         /* that make it of that */
  struct tsr_estimate estimate;        /* of ALONE */
  bool known;                          /* could it be estimated? */
  /* Is it one with buffers that lanes walk along: the best tree, in lanes already, but for these; or do lanes pay by them?
   */
  enum { NO_PANELS, OF_LANES, BY_PANELS } panels;
  /* The best tree has register tiles, too, without a copy in front of them: then it has to be CLEARLY better, which is a
   * choice, not measured. */
  bool beside_tiles;
};

static void choice_clear(struct tsr_choice *choice)
{
  tsr_program_free(choice->program);
  tsr_program_free(choice->alone);
  isl_schedule_free(choice->schedule);
  free(choice->steps);
  *choice = (struct tsr_choice){0};
}

/* CHOICE of PROGRAM, WHAT, which is taken and may be NULL, made by STEPS, too. */
static void choice_set(struct tsr_run *run, struct tsr_choice *choice, const char *what,
                       __isl_take struct tsr_program *program, char *steps)
{
  *choice = (struct tsr_choice){
      .what = what, .program = program, .alone = program ? mark(program, &run->one_core) : NULL, .steps = steps};
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
  choice_set(run, &other, choice->what, parts, steps);
  free(step);
  bool better = tsr_budget_end_trial(run->scop->ctx, trial) && other.known && other.estimate.cost < choice->estimate.cost;
  choice_clear(better ? choice : &other);
  if (better)
    *choice = other;
}

/* Note that CHOICE was compared, and whether it is TAKEN. */
static void note(struct tsr_run *run, const struct tsr_choice *choice, bool taken)
{
  tsr_search_enter(run, choice->what ? choice->what : "", choice->steps);
  if (choice->known)
    tsr_search_note(run, choice->estimate.cost, taken);
  tsr_search_leave(run);
}

struct tsr_choice *tsr_choice_free(struct tsr_choice *choice)
{
  if (choice)
    choice_clear(choice);
  free(choice);
  return NULL;
}

bool tsr_choice_is_clear(struct tsr_run *run, const struct tsr_choice *choice)
{
  double most = !choice                       ? 0
                : choice->estimate.leaves_out ? MIN_GAIN_OF_LESS
                : choice->estimate.rows       ? MIN_GAIN_OF_ROWS
                                              : MIN_GAIN;
  return choice && choice->known && choice->estimate.cost < most * original_cost(run);
}

/* What CHOICE costs beside others. */
static double cost_beside(const struct tsr_choice *choice)
{
  bool writes = choice->alone && choice->alone->scop != choice->alone->original && !choice->estimate.leaves_out;
  return choice->estimate.cost * (writes ? WRITTEN_BESIDE : 1);
}

/* Is OWN better than OTHER: worth it where that isn't, or cheaper? */
static bool is_better(struct tsr_run *run, const struct tsr_choice *own, const struct tsr_choice *other)
{
  if (!own->known || !other->known)
    return own->known;
  bool clear = tsr_choice_is_clear(run, own);
  return clear != tsr_choice_is_clear(run, other) ? clear : cost_beside(own) < cost_beside(other);
}

/* CHOICE, or WHAT ROW makes of the original order, if that is better. */
static void try_row(struct tsr_run *run, struct tsr_choice *choice, const char *row, const char *what)
{
  char *step = NULL;
  struct tsr_choice own;
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_PROGRAMS);
  struct tsr_program *program = tsr_search_apply(run, run->scop->schedule, run->result->deps, row, NULL, 0, &step);
  choice_set(run, &own, what, program, step);
  own.known = tsr_budget_end_trial(run->scop->ctx, trial) && own.known;
  try_parts(run, &own);
  bool better = is_better(run, &own, choice);
  struct tsr_choice *worse = better ? choice : &own;
  note(run, worse, false);
  choice_clear(worse);
  if (better)
    *choice = own;
}

/* CHOICE, or nests in overlapped tiles. */
static void try_tiles(struct tsr_run *run, struct tsr_choice *choice)
{
  try_row(run, choice, "overlapped_tiles", "overlapped tiles");
}

/* CHOICE, or nests fused row by row. Their rows come one after the other: that is for one thread. */
static void try_rows(struct tsr_run *run, struct tsr_choice *choice)
{
  if (!run->asked->parallel)
    try_row(run, choice, "shifted_fusion", "nests fused row by row");
}

/* Tiles come first where arrays may be left out. Of a long pipeline rows aren't looked for then if these are clearly worth
 * it; nor, else, are tiles, which would have to write all arrays: they take more of the budget, and more time than is
 * predicted. */
struct tsr_choice *tsr_search_find_program(struct tsr_run *run)
{
  bool may = tsr_search_may_have_programs(run) && isl_ctx_last_error(run->scop->ctx) == isl_error_none;
  struct tsr_choice *choice = may ? calloc(1, sizeof(*choice)) : NULL;
  if (!choice)
    return NULL;
  bool dead = tsr_scop_is_pipeline(run->scop), is_long = tsr_scop_is_long_pipeline(run->scop);
  if (dead)
    try_tiles(run, choice);
  if (!is_long || !dead || !tsr_choice_is_clear(run, choice))
    try_rows(run, choice);
  if (!is_long && !dead)
    try_tiles(run, choice);
  return choice;
}

static isl_bool is_no_panel(isl_schedule_node *node, void *user)
{
  struct tsr_run *run = user;
  struct tsr_lane_panel panel;
  return isl_bool_ok(isl_schedule_node_get_type(node) != isl_schedule_node_band ||
                     !tsr_band_find_panel(node, run->scop, run->opt, &panel));
}

bool tsr_run_may_have_panels(struct tsr_run *run)
{
  if (!tsr_search_may_have_buffers(run) || isl_ctx_last_error(run->scop->ctx) != isl_error_none)
    return false;
  isl_schedule_node *root = isl_schedule_get_root(run->result->schedule);
  isl_bool none = isl_schedule_node_every_descendant(root, is_no_panel, run);
  isl_schedule_node_free(root);
  return none == isl_bool_false;
}

struct tsr_choice *tsr_search_find_panels(struct tsr_run *run)
{
  bool lanes = run->bare && tsr_tree_has_mark(run->bare, TSR_MARK_LOCKSTEP); /* do they pay without panels already? */
  bool may = (lanes || run->panels) && tsr_search_may_have_buffers(run) && run->result->schedule &&
             isl_ctx_last_error(run->scop->ctx) == isl_error_none;
  struct tsr_choice *choice = may ? calloc(1, sizeof(*choice)) : NULL;
  if (!choice)
    return NULL;
  char *step = NULL;
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_PROGRAMS);
  struct tsr_program *program =
      tsr_search_apply(run, run->result->schedule, run->result->deps, "lane_panels", NULL, 0, &step);
  choice_set(run, choice, "outer loops in lanes, in panels", program, step);
  choice->schedule = isl_schedule_copy(run->result->schedule);
  choice->panels = lanes ? OF_LANES : BY_PANELS;
  choice->known = tsr_budget_end_trial(run->scop->ctx, trial) && choice->known;
  return choice->known ? choice : tsr_choice_free(choice);
}

bool tsr_scop_has_inner_sums(const struct tsr_scop *scop)
{
  bool has = false;
  for (int i = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++) {
      const struct tsr_access *access = &scop->stmts[i].access[k];
      has |= access->kind == TSR_READ && access->reduction != TSR_RED_NONE &&
             isl_set_dim(scop->stmts[i].domain, isl_dim_set) > 2;
    }
  return has;
}

struct tsr_choice *tsr_search_find_copies(struct tsr_run *run)
{
  bool may = run->bare && run->registers != WITHOUT && tsr_scop_has_inner_sums(run->scop) &&
             tsr_search_may_have_buffers(run) && isl_ctx_last_error(run->scop->ctx) == isl_error_none;
  struct tsr_choice *choice = may ? calloc(1, sizeof(*choice)) : NULL;
  if (!choice)
    return NULL;
  char *step[2] = {NULL, NULL}, *steps = NULL;
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_PROGRAMS);
  struct tsr_program *program = tsr_search_apply(run, run->scop->schedule, NULL, "copy_inputs", NULL, 0, &step[0]);
  program = tsr_search_go_on(run, program, NULL, "register_tiles", NULL, 0, &step[1]);
  if (step[0] && step[1])
    tsr_message_set(&steps, "%s%s", step[0], step[1]);
  if (program && !tsr_tree_has_mark(program->tree, TSR_MARK_REGISTERS)) /* but lanes, which walk along all that is copied */
    program = tsr_program_free(program);
  choice_set(run, choice, "inputs copied, register tiles", program, steps);
  choice->beside_tiles = tsr_tree_has_mark(run->bare, TSR_MARK_REGISTERS);
  free(step[0]);
  free(step[1]);
  choice->known = tsr_budget_end_trial(run->scop->ctx, trial) && choice->known;
  return choice->known ? choice : tsr_choice_free(choice);
}

bool tsr_search_take_program(struct tsr_run *run, struct tsr_choice *choice, double *best)
{
  if (!choice)
    return false;
  double limit = run->after.instances > 0 ? run->after.cost : *best; /* *BEST may ask for more than a little less */
  limit *= choice->estimate.rows ? TIE : 1;                          /* which leave loops as they are, but for their place */
  limit *= choice->beside_tiles ? CLEARLY : 1;
  limit *= choice->panels == BY_PANELS ? CLEARLY : choice->panels ? MOST_FOR_PANELS : 1;
  bool taken = choice->known && choice->estimate.cost < limit && choice->estimate.cost < original_cost(run);
  note(run, choice, taken);
  if (taken) {
    take(run, choice->program, choice->schedule, choice->steps, choice->alone);
    choice->alone = NULL;
    run->after = choice->estimate;
    *best = choice->estimate.cost;
  }
  return taken;
}
