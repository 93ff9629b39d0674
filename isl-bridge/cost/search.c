/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The choice of a tree. Candidates are made from the schedules of some strategies: with tiles and without, with register
 * tiles, lanes, strips or interleaved chains, with loops split; the one that the cost model takes for the cheapest wins.
 * Where threads are allowed the tree that is best on one core comes first. Then there are forms of it for threads:
 *
 *   with parallel loops as far out as possible; further in, where an outer loop has few iterations; further out, with
 *   private arrays (private_arrays.c); in blocks (thread_blocks.c);
 *   split at the one iteration that the others wait for; else the schedule that looks for outer coincidence
 *
 * Where that is another tree the first one is kept, for one thread alone. What comes after the first few candidates has a
 * part of the budget. */
#include "cost/cost.h"
#include "cost/thresholds.h"
#include <isl/val.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What TREE costs, as estimated, with threads if they are allowed; the lowest cost of each statement so far is kept. */
static isl_stat candidate_cost(struct tsr_run *run, isl_schedule *tree, struct tsr_estimate *estimate)
{
  int n = run->scop->n_stmt;
  struct tsr_result *result = run->result;
  double *by_stmt = calloc(n + 1, sizeof(*by_stmt));
  isl_stat ok = by_stmt ? tsr_tree_cost(run->scop, tree, true, run->opt->parallel, estimate, by_stmt) : isl_stat_error;
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

/* From here on, candidates are WHAT, too; until leave(). */
static void enter(struct tsr_run *run, const char *what)
{
  if (run->n_word < TSR_MAX_WORDS)
    run->word[run->n_word] = what;
  run->n_word++;
}

static void leave(struct tsr_run *run)
{
  run->n_word--;
}

/* Note that what is being tried costs COST, and whether it is TAKEN. Without memory, nothing is noted. */
static void note_candidate(struct tsr_run *run, double cost, bool taken)
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

/* Take SCHEDULE and its transformed tree, BARE with WHICH marks, for the result if they cost less than *BEST. */
static void try_candidate(struct tsr_run *run, __isl_take isl_schedule *schedule, __isl_take isl_schedule *bare,
                          enum tsr_which which, double *best)
{
  struct tsr_estimate estimate = {0};
  struct tsr_result *result = run->result;
  isl_schedule *tree = bare ? tsr_tree_mark(isl_schedule_copy(bare), run->scop, run->opt, which) : NULL;
  bool known = tree && candidate_cost(run, tree, &estimate) == isl_stat_ok;
  bool taken = known && (!result->variant[0].tree || estimate.cost < *best);
  if (known)
    note_candidate(run, estimate.cost, taken);
  if (!taken) {
    isl_schedule_free(bare);
    isl_schedule_free(tree);
    isl_schedule_free(schedule);
    return;
  }
  isl_schedule_free(result->variant[0].tree);
  isl_schedule_free(result->schedule);
  isl_schedule_free(run->bare);
  result->variant[0].tree = tree;
  result->schedule = schedule;
  run->bare = bare;
  if (!run->opt->parallel)
    run->after = estimate;
  *best = estimate.cost;
}

/* TREE, marked. Where an innermost loop can be split: with that, and unless the options force it, without. */
static void try_marked(struct tsr_run *run, __isl_take isl_schedule *schedule, __isl_take isl_schedule *tree, double *best)
{
  isl_schedule *split = tsr_tree_split(isl_schedule_copy(tree), run->result->deps, false);
  enter(run, "index sets split");
  if (split)
    try_candidate(run, isl_schedule_copy(schedule), isl_schedule_copy(split), TSR_WHICH_OUTERMOST, best);
  leave(run);
  isl_schedule_free(split);
  if (!split || !run->opt->force) {
    try_candidate(run, schedule, tree, TSR_WHICH_OUTERMOST, best);
    return;
  }
  isl_schedule_free(schedule);
  isl_schedule_free(tree);
}

/* TREE, in form WHAT, marked. Where a wavefront gives threads something to do: with that, and unless the options force it,
 * without. */
static void try_tree(struct tsr_run *run, __isl_take isl_schedule *schedule, isl_schedule *tree, const char *what,
                     double *best)
{
  struct tsr_deps *deps = run->result->deps;
  isl_schedule *skewed = run->opt->parallel ? tsr_tree_wavefront(isl_schedule_copy(tree), deps, run->opt) : NULL;
  bool other = skewed && isl_schedule_plain_is_equal(skewed, tree) != isl_bool_true;
  enter(run, what);
  enter(run, "wavefront");
  if (other)
    try_marked(run, isl_schedule_copy(schedule), skewed, best);
  else
    isl_schedule_free(skewed);
  leave(run);
  if (!other || !run->opt->force) {
    try_marked(run, schedule, tree, best);
  } else {
    isl_schedule_free(schedule);
    isl_schedule_free(tree);
  }
  leave(run);
}

/* Tiles that are asked for, and wavefronts of them, are others. */
static bool may_have_strips(const struct tsr_options *opt)
{
  return !opt->n_tile_sizes && !opt->relax_reductions && !(opt->force && opt->parallel);
}

/* SCHEDULE with interleaved chains, and in strips of time steps, if it can have any. */
static bool try_strips(struct tsr_run *run, __isl_keep isl_schedule *schedule, double *best)
{
  isl_schedule *chains = tsr_tree_interleave(isl_schedule_copy(schedule), run->scop, run->result->deps, run->opt);
  if (chains)
    try_tree(run, isl_schedule_copy(schedule), chains, "chains interleaved", best);
  if (chains && run->opt->force)
    return true;
  isl_schedule *strips = tsr_tree_strips(isl_schedule_copy(schedule), run->scop);
  if (strips)
    try_tree(run, isl_schedule_copy(schedule), strips, "strips of time steps", best);
  return strips || chains;
}

/* SCHEDULE with tiles and, unless the options ask for tiles, without, or with register tiles. */
static void try_forms(struct tsr_run *run, __isl_take isl_schedule *schedule, double *best)
{
  const struct tsr_options *opt = run->opt;
  isl_schedule *registers = NULL;
  if (run->registers != WITHOUT && !opt->n_tile_sizes && !opt->relax_reductions)
    registers =
        tsr_tree_registers(isl_schedule_copy(schedule), run->scop, run->result->deps, opt, run->registers == MASKED, 0);
  if (registers) {
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
  isl_schedule *tiled = tsr_tree_tile(isl_schedule_copy(schedule), run->scop, opt);
  if (!opt->force && !opt->n_tile_sizes) {
    isl_schedule *untiled = tsr_tree_interchange(isl_schedule_copy(schedule), run->scop, opt);
    if (isl_schedule_plain_is_equal(tiled, untiled) == isl_bool_true)
      isl_schedule_free(untiled);
    else
      try_tree(run, isl_schedule_copy(schedule), untiled, "untiled", best);
  }
  try_tree(run, schedule, tiled, "tiled", best);
}

/* All forms of SCHEDULE, which comes from STRATEGY. */
static void try_schedule(struct tsr_run *run, __isl_take isl_schedule *schedule, const char *strategy, double *best)
{
  enter(run, strategy);
  try_forms(run, schedule, best);
  leave(run);
}

/* The original order, too, unless that is FIRST, which has been tried already. */
static void try_original(struct tsr_run *run, isl_schedule *first, double *best)
{
  struct tsr_options opt = *run->opt;
  opt.strategy = TSR_STRATEGY_ORIGINAL;
  isl_schedule *schedule = tsr_schedule_compute(run->scop, run->result->deps, &opt, NULL, NULL);
  if (isl_schedule_plain_is_equal(schedule, first) == isl_bool_true)
    isl_schedule_free(schedule);
  else
    try_schedule(run, schedule, "original order", best);
}

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

static bool has_gain(const struct tsr_run *run, double best)
{
  return run->result->before.instances == 0 || best < SOME_GAIN * run->result->before.cost;
}

/* FIRST: the schedule that has been tried already. */
static void try_feautrier(struct tsr_run *run, isl_schedule *first, double *best)
{
  struct tsr_options opt = *run->opt;
  opt.strategy = TSR_STRATEGY_FEAUTRIER;
  isl_schedule *schedule = tsr_schedule_compute(run->scop, run->result->deps, &opt, NULL, NULL);
  if (isl_schedule_plain_is_equal(schedule, first) != isl_bool_true && is_plain(schedule))
    try_schedule(run, schedule, "feautrier", best);
  else
    isl_schedule_free(schedule);
}

/* What is best so far, which is GOOD or not, in panels. They bring data nearer, no more: its instances still have to be
 * issued.
 */
static void try_panels(struct tsr_run *run, bool good, double *best)
{
  if (!(run->after.issue < (good ? 1 : FEW_ISSUES) * *best))
    return;
  isl_schedule *panels = tsr_tree_panels(isl_schedule_copy(run->bare), run->scop, run->result->deps, false);
  enter(run, "the best so far, in panels");
  if (panels)
    try_candidate(run, isl_schedule_copy(run->result->schedule), panels, TSR_WHICH_OUTERMOST, best);
  leave(run);
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
  isl_schedule *tree = schedule ? tsr_tree_distribute(isl_schedule_copy(schedule), deps) : NULL;
  isl_schedule *old = isl_schedule_copy(result->variant[0].tree);
  enter(run, "folds by rows");
  try_candidate(run, schedule, tree, TSR_WHICH_OUTERMOST, best);
  leave(run);
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
  bool choice = !run->result->trace && !opt->force;
  isl_schedule *first = isl_schedule_copy(run->result->schedule);
  try_schedule(run, isl_schedule_copy(first), "scheduled", best);
  *best *= opt->parallel ? 1 : TIE;
  if (choice && opt->strategy != TSR_STRATEGY_ORIGINAL)
    try_original(run, first, best);
  bool good = has_gain(run, *best);
  *best *= CLEARLY;
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_TRIALS);
  if (choice && good && opt->strategy == TSR_STRATEGY_DEFAULT && tsr_budget_share(run->scop->ctx) < 1 - ENOUGH_LEFT)
    try_feautrier(run, first, best);
  if (choice && opt->strategy == TSR_STRATEGY_DEFAULT && !opt->n_tile_sizes)
    try_panels(run, good, best);
  if (may_have_folds(run))
    try_folds(run, best);
  tsr_budget_end_trial(run->scop->ctx, trial);
  isl_schedule_free(first);
}

/* BARE, unless it is NULL, with parallel loops as far out as possible, and further in, everywhere or from loops that aren't
 * long, if these are other trees. */
static void try_marks(struct tsr_run *run, isl_schedule *schedule, isl_schedule *bare, double *best)
{
  static const enum tsr_which which[] = {TSR_WHICH_OUTERMOST, TSR_WHICH_INSIDE, TSR_WHICH_LONG};
  static const char *const where[] = {"threads outside", "threads inside", "threads at long loops"};
  enum { N = sizeof(which) / sizeof(*which) };
  isl_schedule *marked[N] = {NULL};
  for (int i = 0; i < N && bare; i++) {
    marked[i] = tsr_tree_mark(isl_schedule_copy(bare), run->scop, run->opt, which[i]);
    bool other = true;
    for (int k = 0; k < i; k++)
      other &= isl_schedule_plain_is_equal(marked[k], marked[i]) == isl_bool_false;
    enter(run, where[i]);
    if (other)
      try_candidate(run, isl_schedule_copy(schedule), isl_schedule_copy(bare), which[i], best);
    leave(run);
  }
  for (int i = 0; i < N; i++)
    isl_schedule_free(marked[i]);
}

static isl_bool is_no_doacross(isl_schedule_node *node, void *user)
{
  (void)user;
  return isl_bool_ok(!tsr_node_is_mark(node, TSR_MARK_DOACROSS));
}

static bool has_doacross(isl_schedule *tree)
{
  isl_schedule_node *root = isl_schedule_get_root(tree);
  bool none = isl_schedule_node_every_descendant(root, is_no_doacross, NULL) != isl_bool_false;
  isl_schedule_node_free(root);
  return !none;
}

/* BARE with loops of blocks for threads; where blocks of register tiles wait for each other, with smaller ones. NULL if
 * there are none. */
static isl_schedule *share(struct tsr_run *run, isl_schedule *schedule, isl_schedule *bare)
{
  struct tsr_deps *deps = run->result->deps;
  isl_schedule *shared = tsr_tree_share(isl_schedule_copy(bare), schedule, run->scop, deps);
  if (!shared || run->registers == WITHOUT)
    return shared;
  isl_schedule *small = !has_doacross(shared) ? NULL
                                              : tsr_tree_registers(isl_schedule_copy(schedule), run->scop, deps, run->opt,
                                                                   run->registers == MASKED, TSR_ROWS_OF_THREADS);
  if (small)
    small = tsr_tree_share(small, schedule, run->scop, deps);
  if (!small)
    return shared;
  isl_schedule_free(shared);
  return small;
}

/* BARE with panels for threads; NULL if it has none, nor may have any if it is to be GIVEN some. */
static isl_schedule *share_panels(struct tsr_run *run, isl_schedule *bare, bool given)
{
  isl_schedule *shared = tsr_tree_share_panels(isl_schedule_copy(bare), run->scop);
  isl_schedule *panels =
      !shared && given ? tsr_tree_panels(isl_schedule_copy(bare), run->scop, run->result->deps, true) : NULL;
  return panels ? tsr_tree_share_panels(panels, run->scop) : shared;
}

/* Is NODE no parallel loop outside of all others, and no doacross loop? */
static isl_bool is_inside(isl_schedule_node *node, void *user)
{
  (void)user;
  return isl_bool_ok(!tsr_node_is_for_threads(node) || isl_schedule_node_get_schedule_depth(node) > 0);
}

/* BARE with private arrays, where that brings parallel loops further out; ALONE: what it costs without threads. */
static void try_private(struct tsr_run *run, isl_schedule *schedule, isl_schedule *bare, double alone, double best)
{
  isl_schedule_node *root = isl_schedule_get_root(run->result->variant[0].tree);
  bool inside = isl_schedule_node_every_descendant(root, is_inside, NULL) == isl_bool_true;
  isl_schedule_node_free(root);
  if (!inside || isl_ctx_last_error(run->scop->ctx) != isl_error_none)
    return;
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_PRIVATE);
  isl_schedule *out = tsr_tree_mark(isl_schedule_copy(bare), run->scop, run->opt, TSR_WHICH_OUTERMOST);
  isl_schedule *private = tsr_tree_mark(isl_schedule_copy(bare), run->scop, run->opt, TSR_WHICH_PRIVATE);
  double limit = AS_GOOD * best < GOOD_FOR_THREADS * alone ? AS_GOOD * best : GOOD_FOR_THREADS * alone;
  limit = run->opt->force ? HUGE_VAL : limit > best ? limit : best;
  enter(run, "private arrays");
  if (isl_schedule_plain_is_equal(out, private) == isl_bool_false)
    try_candidate(run, isl_schedule_copy(schedule), isl_schedule_copy(bare), TSR_WHICH_PRIVATE, &limit);
  leave(run);
  isl_schedule_free(out);
  isl_schedule_free(private);
  tsr_budget_end_trial(run->scop->ctx, trial);
}

/* With the threads that the options allow: the tree that is best on one core, with marks further out or in, or in another
 * form, or the schedule that looks for work for threads. */
static void find_threads(struct tsr_run *run)
{
  struct tsr_result *result = run->result;
  struct tsr_estimate one = run->after;
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_TRIALS);
  if (candidate_cost(run, result->variant[0].tree, &one) < 0) {
    tsr_budget_end_trial(run->scop->ctx, trial);
    return;
  }
  double alone = one.cost, best = run->opt->force ? HUGE_VAL : alone;
  isl_schedule *schedule = isl_schedule_copy(result->schedule), *bare = isl_schedule_copy(run->bare);
  isl_schedule *shared = share(run, schedule, bare);
  enter(run, "the best for one thread");
  try_marks(run, schedule, bare, &best);
  enter(run, "in blocks");
  try_marks(run, schedule, shared, &best);
  leave(run);
  isl_schedule_free(shared);
  shared = share_panels(run, bare, best > GOOD_FOR_THREADS * alone);
  enter(run, "in panels");
  try_marks(run, schedule, shared, &best);
  leave(run);
  isl_schedule_free(shared);
  isl_schedule *split = NULL;
  if (best > GOOD_FOR_THREADS * alone)
    split = tsr_tree_split(isl_schedule_copy(bare), result->deps, true);
  enter(run, "index sets split");
  if (split)
    try_candidate(run, isl_schedule_copy(schedule), split, TSR_WHICH_OUTERMOST, &best);
  leave(run);
  leave(run);
  if (best > GOOD_FOR_THREADS * alone && !(best < alone && has_doacross(result->variant[0].tree))) {
    best = best < OTHER_FOR_THREADS * alone ? best : OTHER_FOR_THREADS * alone;
    try_schedule(run, tsr_schedule_compute(run->scop, result->deps, run->opt, NULL, NULL), "scheduled for threads", &best);
  }
  enter(run, "the best for one thread");
  try_private(run, schedule, bare, alone, best);
  leave(run);
  isl_schedule_free(schedule);
  isl_schedule_free(bare);
  tsr_budget_end_trial(run->scop->ctx, trial);
}

/* The same, and what became of the TREE for one core, BARE without marks. */
static void keep_alone(struct tsr_run *run, isl_schedule *tree, isl_schedule *bare)
{
  struct tsr_result *result = run->result;
  find_threads(run);
  if (isl_schedule_plain_is_equal(run->bare, bare) == isl_bool_true)
    return;
  result->variant[0].condition.threads = true;
  result->variant[result->n_variant++].tree = isl_schedule_copy(tree);
}

bool tsr_run_is_for_one_core(const struct tsr_run *run)
{
  const struct tsr_options *opt = run->asked;
  return opt->parallel && !opt->influence && opt->strategy == TSR_STRATEGY_DEFAULT && !opt->n_tile_sizes;
}

void tsr_run_choose_tree(struct tsr_run *run)
{
  double best = 0;
  find_tree(run, &best);
  run->result->n_variant = run->result->variant[0].tree != NULL;
  if (tsr_run_is_for_one_core(run) && run->result->variant[0].tree && isl_ctx_last_error(run->scop->ctx) == isl_error_none) {
    isl_schedule *tree = isl_schedule_copy(run->result->variant[0].tree), *bare = isl_schedule_copy(run->bare);
    run->opt = run->asked;
    keep_alone(run, tree, bare);
    isl_schedule_free(tree);
    isl_schedule_free(bare);
  }
}
