/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The choice of a tree. Candidates are made from the schedules of some strategies by rows of the table of transformations,
 * each about all nests (tree/rows/every_nest.c): with tiles and without, with register tiles, lanes, strips or interleaved
 * chains, with loops split; the one that the cost model takes for the cheapest wins, and the result says by which steps.
 * Where threads are allowed the tree that is best on one core comes first, then others (search_threads.c). What comes after
 * the first few candidates has a part of the budget. */
#include "cost/search.h"
#include "model/thresholds.h"
#include "support/message.h"
#include "tree/transformations.h"
#include <isl/val.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_OF(LIST) ((int)(sizeof(LIST) / sizeof((LIST)[0])))

void tsr_search_keep_best(struct tsr_run *run, double *by_stmt)
{
  struct tsr_result *result = run->result;
  if (!result->best) {
    result->best = by_stmt;
    return;
  }
  for (int i = 0; i < run->scop->n_stmt; i++)
    result->best[i] = by_stmt[i] < result->best[i] ? by_stmt[i] : result->best[i];
  free(by_stmt);
}

isl_stat tsr_search_cost(struct tsr_run *run, isl_schedule *tree, struct tsr_estimate *estimate, double *rates)
{
  int n = run->scop->n_stmt;
  struct tsr_result *result = run->result;
  double *by_stmt = calloc(n + 1, sizeof(*by_stmt));
  for (int i = 0; i < n && rates; i++)
    rates[n + i] = -1;
  isl_stat ok = by_stmt ? tsr_tree_cost_and_rates(run->scop, tree, true, run->opt->parallel, estimate, by_stmt, rates)
                        : isl_stat_error;
  if (ok < 0) {
    free(by_stmt);
    free(result->best);
    result->best = NULL;
    return ok;
  }
  tsr_search_keep_best(run, by_stmt);
  return ok;
}

void tsr_search_enter(struct tsr_run *run, const char *what, const char *step)
{
  if (run->n_word < TSR_MAX_WORDS) {
    run->word[run->n_word] = what;
    run->step[run->n_word] = step;
  }
  run->n_word++;
}

void tsr_search_leave(struct tsr_run *run)
{
  run->n_word--;
}

void tsr_search_note(struct tsr_run *run, double cost, bool taken)
{
  struct tsr_result *result = run->result;
  struct tsr_candidate *more = realloc(result->candidate, (result->n_candidate + 1) * sizeof(*more));
  if (!more)
    return;
  result->candidate = more;
  struct tsr_candidate *noted = &more[result->n_candidate++];
  *noted = (struct tsr_candidate){.cost = cost};
  for (int i = 0; i < run->n_word && i < TSR_MAX_WORDS; i++) {
    size_t used = strlen(noted->what);
    snprintf(noted->what + used, sizeof(noted->what) - used, "%s%s", i ? ", " : "", run->word[i]);
  }
  if (taken)
    result->taken = result->n_candidate - 1;
}

/* ARGS as a command, a line (malloc'd). */
static char *command_of(struct tsr_run *run, const struct tsr_args *args)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (out) {
    fputs("  ", out);
    tsr_args_print(args, run->scop, out);
    fputc('\n', out);
    fclose(out);
  }
  return text;
}

struct tsr_program *tsr_search_apply(struct tsr_run *run, isl_schedule *tree, struct tsr_deps *deps, const char *row,
                                     const char *const *value, int n, char **step)
{
  return tsr_search_go_on(run, tree ? tsr_program_alloc(run->scop, isl_schedule_copy(tree)) : NULL, deps, row, value, n,
                          step);
}

struct tsr_program *tsr_search_go_on(struct tsr_run *run, struct tsr_program *from, struct tsr_deps *deps, const char *row,
                                     const char *const *value, int n, char **step)
{
  int where;
  char *error = NULL, *why = NULL;
  struct tsr_args *args = tsr_args_bind(tsr_row_find(row), run->scop, -1, (char *const *)value, n, &where, &error);
  free(error);
  if (!args || !from) {
    tsr_args_free(args);
    return tsr_program_free(from);
  }
  args->opt = run->opt;
  args->deps = deps;
  struct tsr_program *program = tsr_row_apply(from, args, &why);
  free(why);
  if (program)
    *step = command_of(run, args);
  tsr_args_free(args);
  return program;
}

/* A tree that a row has made, and the command for that. No tree: it has made none. */
struct form {
  isl_schedule *tree;
  char *step;
};

/* What ROW makes of all nests of TREE, by DEPS, with VALUE[0..N). */
static struct form make_form_of(struct tsr_run *run, isl_schedule *tree, struct tsr_deps *deps, const char *row,
                                const char *const *value, int n)
{
  struct form form = {.tree = NULL};
  struct tsr_program *program = tsr_search_apply(run, tree, deps, row, value, n, &form.step);
  form.tree = program ? isl_schedule_copy(program->tree) : NULL;
  tsr_program_free(program);
  return form;
}

static struct form make_form(struct tsr_run *run, isl_schedule *tree, const char *row)
{
  return make_form_of(run, tree, run->result->deps, row, NULL, 0);
}

char *tsr_search_steps(struct tsr_run *run)
{
  return run->steps ? strdup(run->steps) : NULL;
}

static void form_clear(struct form *form)
{
  isl_schedule_free(form->tree);
  free(form->step);
}

/* The commands for what is being tried, but for marks, a line each (malloc'd). NULL: there are none for some of it. */
static char *list_steps(struct tsr_run *run)
{
  char *text = NULL;
  size_t size;
  bool known = run->n_word <= TSR_MAX_WORDS;
  FILE *out = open_memstream(&text, &size);
  for (int i = 0; i < run->n_word && known; i++) {
    known = run->step[i] != NULL;
    fputs(known ? run->step[i] : "", out);
  }
  fclose(out);
  if (known)
    return text;
  free(text);
  return NULL;
}

char *tsr_search_add_marks(struct tsr_run *run, const char *steps, enum tsr_which which)
{
  static const char *const word[] = {"outermost", "inside", "long", "private"};
  char *text = NULL;
  if (steps && run->opt->parallel)
    tsr_message_set(&text, "%s  parallelize(%s)\n  vectorize()\n", steps, word[which]);
  else if (steps)
    tsr_message_set(&text, "%s  vectorize()\n", steps);
  return text;
}

/* Does A take less to issue than B, and cost no more where its data is but as B has accesses of several forms, or by next to
 * nothing? */
static bool issues_less(const struct tsr_run *run, const struct tsr_estimate *a, const struct tsr_estimate *b)
{
  return !run->opt->parallel && a->issue < MIN_GAIN * b->issue &&
         a->there < (b->several ? AS_DEAR : EQUALLY_DEAR) * b->there;
}

/* Is ESTIMATE better than what was the best so far, of cost BEST? */
static bool is_better(const struct tsr_run *run, const struct tsr_estimate *estimate, double best)
{
  if (!run->result->variant[0].tree || issues_less(run, estimate, &run->after))
    return true;
  return estimate->cost < best && !issues_less(run, &run->after, estimate);
}

/* Keep TREE, of SCHEDULE with WHICH marks, which costs COST, by RATES, for small sizes if it is the cheapest of those
 * without tiles. */
static void keep_plain(struct tsr_run *run, isl_schedule *schedule, isl_schedule *tree, enum tsr_which which, double cost,
                       const double *rates)
{
  struct tsr_variant *plain = &run->plain;
  if (!run->untiled || run->opt->parallel || (plain->tree && cost >= run->plain_cost))
    return;
  size_t n = 2 * (size_t)run->scop->n_stmt + 1;
  char *steps = list_steps(run);
  isl_schedule_free(plain->tree);
  isl_schedule_free(plain->schedule);
  free(plain->steps);
  free(plain->rates);
  *plain = (struct tsr_variant){.tree = isl_schedule_copy(tree),
                                .schedule = isl_schedule_copy(schedule),
                                .steps = tsr_search_add_marks(run, steps, which),
                                .rates = malloc(n * sizeof(*rates))};
  if (plain->rates)
    memcpy(plain->rates, rates, n * sizeof(*rates));
  free(steps);
  run->plain_cost = cost;
}

void tsr_search_try(struct tsr_run *run, __isl_take isl_schedule *schedule, __isl_take isl_schedule *bare,
                    enum tsr_which which, double *best)
{
  struct tsr_estimate estimate = {0};
  struct tsr_result *result = run->result;
  isl_schedule *tree = bare ? tsr_tree_mark(isl_schedule_copy(bare), run->scop, run->opt, which) : NULL;
  double *rates = calloc(2 * (size_t)run->scop->n_stmt + 1, sizeof(*rates));
  bool known = tree && tsr_search_cost(run, tree, &estimate, rates) == isl_stat_ok;
  bool taken = known && is_better(run, &estimate, *best);
  if (known) {
    tsr_search_note(run, estimate.cost, taken);
    keep_plain(run, schedule, tree, which, estimate.cost, rates);
  }
  if (!taken) {
    free(rates);
    isl_schedule_free(bare);
    isl_schedule_free(tree);
    isl_schedule_free(schedule);
    return;
  }
  isl_schedule_free(result->variant[0].tree);
  isl_schedule_free(result->schedule);
  isl_schedule_free(result->variant[0].schedule);
  isl_schedule_free(run->bare);
  free(result->variant[0].rates);
  result->variant[0].rates = rates;
  free(result->variant[0].steps);
  free(run->steps);
  run->steps = list_steps(run);
  result->variant[0].steps = tsr_search_add_marks(run, run->steps, which);
  result->variant[0].tree = tree;
  result->variant[0].schedule = isl_schedule_copy(schedule);
  result->schedule = schedule;
  run->bare = bare;
  if (!run->opt->parallel)
    run->after = estimate;
  *best = estimate.cost;
}

/* TREE, marked. Where an innermost loop can be split: with that, and unless the options force it, without. */
static void try_marked(struct tsr_run *run, __isl_take isl_schedule *schedule, __isl_take isl_schedule *tree, double *best)
{
  struct form split = make_form(run, tree, "index_set_split");
  bool other = split.tree != NULL;
  tsr_search_enter(run, "index sets split", split.step);
  if (other)
    tsr_search_try(run, isl_schedule_copy(schedule), isl_schedule_copy(split.tree), TSR_WHICH_OUTERMOST, best);
  tsr_search_leave(run);
  form_clear(&split);
  if (!other || !run->opt->force) {
    tsr_search_try(run, schedule, tree, TSR_WHICH_OUTERMOST, best);
    return;
  }
  isl_schedule_free(schedule);
  isl_schedule_free(tree);
}

/* FORM, which is taken, WHAT, marked. Where a wavefront gives threads something to do: with that, and unless the options
 * force it, without. */
static void try_tree(struct tsr_run *run, __isl_take isl_schedule *schedule, struct form form, const char *what,
                     double *best)
{
  struct form skewed = run->opt->parallel ? make_form(run, form.tree, "wavefront") : (struct form){.tree = NULL};
  bool other = skewed.tree && isl_schedule_plain_is_equal(skewed.tree, form.tree) != isl_bool_true;
  tsr_search_enter(run, what, form.step);
  tsr_search_enter(run, "wavefront", skewed.step);
  if (other)
    try_marked(run, isl_schedule_copy(schedule), isl_schedule_copy(skewed.tree), best);
  tsr_search_leave(run);
  if (!other || !run->opt->force)
    try_marked(run, isl_schedule_copy(schedule), isl_schedule_copy(form.tree), best);
  tsr_search_leave(run);
  form_clear(&skewed);
  form_clear(&form);
  isl_schedule_free(schedule);
}

/* Tiles that are asked for, and wavefronts of them, are others. */
static bool may_have_strips(const struct tsr_options *opt)
{
  return !opt->n_tile_sizes && !opt->relax_reductions && !(opt->force && opt->parallel);
}

/* SCHEDULE with interleaved chains, and in strips of time steps, if it can have any. */
static bool try_strips(struct tsr_run *run, __isl_keep isl_schedule *schedule, double *best)
{
  struct form chains = make_form(run, schedule, "chains");
  bool any = chains.tree != NULL;
  if (any)
    try_tree(run, isl_schedule_copy(schedule), chains, "chains interleaved", best);
  if (any && run->opt->force)
    return true;
  struct form strips = make_form(run, schedule, "time_strips");
  any |= strips.tree != NULL;
  if (strips.tree)
    try_tree(run, isl_schedule_copy(schedule), strips, "strips of time steps", best);
  return any;
}

/* TREE with register tiles, masked ones if RUN says so. */
static struct form make_registers(struct tsr_run *run, isl_schedule *tree)
{
  static const char *const bare[] = {"0", "0", "0", "0", "bare"};
  return make_form_of(run, tree, run->result->deps, "register_tiles", bare, run->registers == MASKED ? 0 : N_OF(bare));
}

/* SCHEDULE with tiles and, unless the options ask for tiles, without, or with register tiles. */
static void try_forms(struct tsr_run *run, __isl_take isl_schedule *schedule, double *best)
{
  const struct tsr_options *opt = run->opt;
  struct form registers = {.tree = NULL};
  if (run->registers != WITHOUT && !opt->n_tile_sizes && !opt->relax_reductions)
    registers = make_registers(run, schedule);
  if (registers.tree) {
    run->sums = true;
    try_tree(run, isl_schedule_copy(schedule), registers, "register tiles", best);
    if (opt->force) {
      isl_schedule_free(schedule);
      return;
    }
  }
  if (may_have_strips(opt) && try_strips(run, schedule, best) && opt->force) {
    isl_schedule_free(schedule);
    return;
  }
  struct form tiled = make_form(run, schedule, "tile");
  bool same = false;
  if (!opt->force && !opt->n_tile_sizes) {
    struct form untiled = make_form(run, schedule, "interchange");
    run->untiled = true;
    same = isl_schedule_plain_is_equal(tiled.tree, untiled.tree) == isl_bool_true;
    if (same)
      form_clear(&untiled);
    else
      try_tree(run, isl_schedule_copy(schedule), untiled, "untiled", best);
  }
  run->untiled = same; /* nothing was tiled */
  try_tree(run, schedule, tiled, "tiled", best);
  run->untiled = false;
}

void tsr_search_try_schedule(struct tsr_run *run, __isl_take isl_schedule *schedule, const char *strategy, double *best)
{
  tsr_search_enter(run, strategy, "");
  try_forms(run, schedule, best);
  tsr_search_leave(run);
}

/* The schedule of the original order: it is made once. */
static isl_schedule *original_order(struct tsr_run *run)
{
  struct tsr_options opt = *run->opt;
  opt.strategy = TSR_STRATEGY_ORIGINAL;
  if (!run->in_order)
    run->in_order = tsr_schedule_compute(run->scop, run->result->deps, &opt, NULL, NULL);
  return isl_schedule_copy(run->in_order);
}

/* The original order, too, unless that is FIRST, which has been tried already. */
static void try_original(struct tsr_run *run, isl_schedule *first, double *best)
{
  isl_schedule *schedule = original_order(run);
  if (isl_schedule_plain_is_equal(schedule, first) == isl_bool_true)
    isl_schedule_free(schedule);
  else
    tsr_search_try_schedule(run, schedule, "original order", best);
}

/* Where no schedule so far has register tiles: nests of the original order distributed, if these have. */
static void try_distributed(struct tsr_run *run, double *best)
{
  static const char *const nests[] = {"nests"};
  const struct tsr_options *opt = run->opt;
  if (run->sums || run->registers == WITHOUT || opt->n_tile_sizes || opt->relax_reductions ||
      !tsr_scop_has_inner_sums(run->scop))
    return;
  isl_schedule *schedule = original_order(run);
  struct form apart = make_form_of(run, schedule, run->result->deps, "distribute", nests, N_OF(nests));
  struct form registers = {.tree = NULL};
  if (apart.tree)
    registers = make_registers(run, apart.tree);
  tsr_search_enter(run, "original order", "");
  tsr_search_enter(run, "nests distributed", apart.step);
  if (registers.tree)
    try_tree(run, isl_schedule_copy(schedule), registers, "register tiles", best);
  tsr_search_leave(run);
  tsr_search_leave(run);
  isl_schedule_free(schedule);
  form_clear(&apart);
}

static isl_bool check_band(isl_schedule_node *node, void *user)
{
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
    return isl_bool_true;
  bool *plain = user;
  isl_size n = isl_schedule_node_band_n_member(node);
  for (int i = 0; i < n; i++)
    *plain = *plain && tsr_member_is_plain(node, i);
  return isl_bool_ok(n >= 0);
}

/* Is each row of SCHEDULE one iterator? Rows such as 10 i + k need divisions in loops, which the cost model doesn't see. */
static bool is_plain(isl_schedule *schedule)
{
  bool plain = schedule != NULL;
  if (plain && isl_schedule_foreach_schedule_node_top_down(schedule, check_band, &plain) < 0)
    return false;
  return plain;
}

static bool has_gain(const struct tsr_run *run, double best)
{
  return run->result->before.instances == 0 || best < SOME_GAIN * run->result->before.cost;
}

/* Is all of SCOP in one loop? */
static bool is_one_nest(const struct tsr_scop *scop)
{
  isl_schedule_node *node = isl_schedule_node_child(isl_schedule_get_root(scop->schedule), 0);
  bool one = isl_schedule_node_get_type(node) == isl_schedule_node_band;
  isl_schedule_node_free(node);
  return one;
}

/* Where the part of the budget for it ran out, but BEST, the cheapest so far, is worth it: it is known then that a change
 * is, so that the rest of the budget is there. What hasn't been compared by then isn't. Several nests do better one by one,
 * with a budget for each: six of a contraction for baryons took 0.87 of the time. */
static bool goes_on(struct tsr_run *run, bool one_nest, double best)
{
  isl_ctx *ctx = run->scop->ctx;
  bool out = isl_ctx_last_error(ctx) == isl_error_quota && run->choice.operations && run->result->variant[0].tree;
  if (!out || !one_nest || run->result->before.instances == 0 || !has_gain(run, best))
    return false;
  tsr_budget_end_trial(ctx, run->choice);
  run->choice = tsr_budget_begin_trial(ctx, SHARE_OF_TRIALS);
  return true;
}

/* FIRST: the schedule that has been tried already. */
static void try_feautrier(struct tsr_run *run, isl_schedule *first, double *best)
{
  struct tsr_options opt = *run->opt;
  opt.strategy = TSR_STRATEGY_FEAUTRIER;
  isl_schedule *schedule = tsr_schedule_compute(run->scop, run->result->deps, &opt, NULL, NULL);
  if (isl_schedule_plain_is_equal(schedule, first) != isl_bool_true && is_plain(schedule))
    tsr_search_try_schedule(run, schedule, "feautrier", best);
  else
    isl_schedule_free(schedule);
}

/* What is best so far, which is GOOD or not, in panels, or, where that has none, as tiles have not, the original order. They
 * bring data nearer, no more: its instances still have to be issued. */
static void try_panels(struct tsr_run *run, bool good, double *best)
{
  if (!(run->after.issue < (good ? 1 : FEW_ISSUES) * *best))
    return;
  isl_schedule *schedule = isl_schedule_copy(run->result->schedule);
  struct form panels = make_form(run, run->bare, "panels");
  bool of_best = panels.tree;
  if (!of_best) {
    form_clear(&panels);
    isl_schedule_free(schedule);
    schedule = original_order(run);
    panels = make_form(run, schedule, "panels");
  }
  char *steps = of_best ? tsr_search_steps(run) : NULL;
  tsr_search_enter(run, of_best ? "the best so far" : "original order", of_best ? steps : "");
  tsr_search_enter(run, "in panels", panels.step);
  if (panels.tree)
    tsr_search_try(run, isl_schedule_copy(schedule), isl_schedule_copy(panels.tree), TSR_WHICH_OUTERMOST, best);
  tsr_search_leave(run);
  tsr_search_leave(run);
  isl_schedule_free(schedule);
  free(steps);
  form_clear(&panels);
}

/* What is best so far, with innermost loops in parts in which accesses have one form. */
static void try_parts(struct tsr_run *run, double *best)
{
  struct form parts = {.tree = NULL};
  if (run->bare && tsr_scop_has_forms(run->scop))
    parts = make_form(run, run->bare, "separate");
  char *steps = tsr_search_steps(run);
  tsr_search_enter(run, "the best so far", steps);
  tsr_search_enter(run, "accesses separated", parts.step);
  if (parts.tree)
    tsr_search_try(run, isl_schedule_copy(run->result->schedule), isl_schedule_copy(parts.tree), TSR_WHICH_OUTERMOST, best);
  tsr_search_leave(run);
  tsr_search_leave(run);
  free(steps);
  form_clear(&parts);
}

/* What is best so far, with innermost loops that change nothing as a rule in blocks that may be left out. */
static void try_rare(struct tsr_run *run, double *best)
{
  struct form rare = {.tree = NULL};
  bool any = false;
  for (int i = 0; i < run->scop->n_stmt; i++)
    any |= run->scop->stmts[i].rare;
  if (any && run->bare)
    rare = make_form(run, run->bare, "rare_changes");
  char *steps = tsr_search_steps(run);
  tsr_search_enter(run, "the best so far", steps);
  tsr_search_enter(run, "rare changes looked for", rare.step);
  if (rare.tree)
    tsr_search_try(run, isl_schedule_copy(run->result->schedule), isl_schedule_copy(rare.tree), TSR_WHICH_OUTERMOST, best);
  tsr_search_leave(run);
  tsr_search_leave(run);
  free(steps);
  form_clear(&rare);
}

/* What is best so far, with reads of innermost loops in front of their writes where that makes them vector loops. What comes
 * behind has its part of the budget whatever that takes. */
static void try_preloads(struct tsr_run *run, double *best)
{
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_PRELOADS);
  struct form loads = run->bare ? make_form(run, run->bare, "preload") : (struct form){.tree = NULL};
  char *steps = tsr_search_steps(run);
  tsr_search_enter(run, "the best so far", steps);
  tsr_search_enter(run, "reads first", loads.step);
  if (loads.tree)
    tsr_search_try(run, isl_schedule_copy(run->result->schedule), isl_schedule_copy(loads.tree), TSR_WHICH_OUTERMOST, best);
  tsr_search_leave(run);
  tsr_search_leave(run);
  free(steps);
  form_clear(&loads);
  tsr_budget_end_trial(run->scop->ctx, trial);
}

/* Folds over elements that the nest writes, in an order in which rows are complete one after the other: taken with the
 * dependences that allow it. */
static void try_folds(struct tsr_run *run, double *best)
{
  char wish[] = "@folds", *trace = NULL;
  struct tsr_options opt = *run->opt;
  struct tsr_result *result = run->result;
  opt.influence = wish;
  opt.strategy = TSR_STRATEGY_DEFAULT;
  struct tsr_deps *deps = tsr_deps_compute_exact(run->scop);
  isl_schedule *schedule = deps ? tsr_schedule_compute(run->scop, deps, &opt, &trace, NULL) : NULL;
  struct form rows = make_form_of(run, schedule, deps, "distribute", NULL, 0);
  isl_schedule *old = isl_schedule_copy(result->variant[0].tree);
  tsr_search_enter(run, "folds by rows", rows.step);
  tsr_search_try(run, schedule, isl_schedule_copy(rows.tree), TSR_WHICH_OUTERMOST, best);
  tsr_search_leave(run);
  form_clear(&rows);
  if (deps && result->variant[0].tree != old) {
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
static bool may_have_folds(struct tsr_run *run)
{
  return !run->opt->relax_reductions && !run->opt->n_tile_sizes && !run->result->trace &&
         run->opt->strategy == TSR_STRATEGY_DEFAULT && tsr_budget_share(run->scop->ctx) < 1 - ENOUGH_LEFT &&
         tsr_scop_has_folds(run->scop);
}

/* Tiles or not, the scheduler's tree or the original one: the cheapest wins, unless the options ask for something. */
static void find_tree(struct tsr_run *run, double *best)
{
  const struct tsr_options *opt = run->opt;
  bool choice = !run->result->trace && !opt->force, one_nest = is_one_nest(run->scop);
  isl_schedule *first = isl_schedule_copy(run->result->schedule);
  tsr_search_try_schedule(run, isl_schedule_copy(first), "scheduled", best);
  *best *= opt->parallel ? 1 : TIE;
  if (choice && opt->strategy != TSR_STRATEGY_ORIGINAL)
    try_original(run, first, best);
  if (choice)
    try_distributed(run, best);
  try_parts(run, best);
  try_rare(run, best);
  if (!has_gain(run, *best))
    try_preloads(run, best);
  bool good = has_gain(run, *best);
  choice &= !goes_on(run, one_nest, *best);
  *best *= CLEARLY;
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_TRIALS);
  bool pipeline = tsr_scop_passes_on(run->scop); /* has few dependences within stages, and is to be fused yet */
  if (choice && good && !pipeline && opt->strategy == TSR_STRATEGY_DEFAULT &&
      tsr_budget_share(run->scop->ctx) < 1 - ENOUGH_LEFT)
    try_feautrier(run, first, best);
  if (choice && opt->strategy == TSR_STRATEGY_DEFAULT && !opt->n_tile_sizes)
    try_panels(run, good, best);
  if (may_have_folds(run))
    try_folds(run, best);
  tsr_budget_end_trial(run->scop->ctx, trial);
  isl_schedule_free(first);
}

bool tsr_run_is_for_one_core(const struct tsr_run *run)
{
  const struct tsr_options *opt = run->asked;
  return opt->parallel && !opt->influence && opt->strategy == TSR_STRATEGY_DEFAULT && !opt->n_tile_sizes;
}

bool tsr_run_is_long_pipeline(const struct tsr_run *run)
{
  return !run->asked->force && tsr_search_may_have_programs(run) && tsr_scop_is_long_pipeline(run->scop);
}

/* Tiles of a long pipeline, if these are clearly worth it; else it stays as it is, for its parts to be looked at. */
static void choose_tiles(struct tsr_run *run)
{
  struct tsr_result *result = run->result;
  double best = HUGE_VAL;
  struct tsr_choice *choice = tsr_search_find_program(run);
  if (!tsr_choice_is_clear(run, choice) || !tsr_search_take_program(run, choice, &best)) {
    result->variant[0].tree = isl_schedule_copy(run->scop->schedule);
    result->n_variant = 1;
    free(result->best);
    result->best = NULL;
  }
  tsr_choice_free(choice);
}

/* The same, with stores as usual. */
static void choose_tree(struct tsr_run *run)
{
  double best = 0;
  if (run->tiles_alone || tsr_run_is_long_pipeline(run)) {
    choose_tiles(run);
    return;
  }
  find_tree(run, &best);
  run->result->n_variant = run->result->variant[0].tree != NULL;
  struct tsr_choice *choice = run->result->n_variant ? tsr_search_find_program(run) : NULL;
  bool taken = tsr_search_take_program(run, choice, &best);
  tsr_choice_free(choice);
  if (!taken && run->result->n_variant) {
    choice = tsr_search_find_copies(run);
    taken = tsr_search_take_program(run, choice, &best);
    tsr_choice_free(choice);
  }
  if (!taken && run->result->n_variant) {
    choice = tsr_search_find_panels(run);
    taken = tsr_search_take_program(run, choice, &best);
    tsr_choice_free(choice);
  }
  if (taken)
    return;
  if (tsr_run_is_for_one_core(run) && run->result->variant[0].tree && isl_ctx_last_error(run->scop->ctx) == isl_error_none)
    tsr_search_threads(run);
}

void tsr_run_choose_tree(struct tsr_run *run)
{
  choose_tree(run);
  tsr_search_streams(run);
}
