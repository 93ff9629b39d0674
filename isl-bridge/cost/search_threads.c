/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The choice of a tree for threads, from the one that is best on one core: forms of it with parallel loops
 *
 *   as far out as possible; further in, where an outer loop has few iterations; further out, with private arrays
 *   (private_arrays.c); in blocks (thread_blocks.c); split at the one iteration that the others wait for
 *
 * or else the schedule that looks for outer coincidence. Where that is another tree the first one is kept, for one thread
 * alone. */
#include "cost/search.h"
#include "model/thresholds.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    tsr_search_enter(run, where[i], "");
    if (other)
      tsr_search_try(run, isl_schedule_copy(schedule), isl_schedule_copy(bare), which[i], best);
    tsr_search_leave(run);
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
  isl_schedule *small = !has_doacross(shared)
                            ? NULL
                            : tsr_tree_registers(isl_schedule_copy(schedule), run->scop, deps, run->opt,
                                                 &(struct tsr_register_sizes){.bare = run->registers != MASKED,
                                                                              .most_row_block = TSR_ROWS_OF_THREADS});
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

/* BARE with private arrays, where that brings parallel loops further out; STEPS made it; ALONE: what it costs without
 * threads. */
static void try_private(struct tsr_run *run, isl_schedule *schedule, isl_schedule *bare, const char *steps, double alone,
                        double best)
{
  isl_schedule_node *root = isl_schedule_get_root(run->result->variant[0].tree);
  bool inside = isl_schedule_node_every_descendant(root, is_inside, NULL) == isl_bool_true;
  isl_schedule_node_free(root);
  if (!inside || !tsr_search_may_have_buffers(run) || isl_ctx_last_error(run->scop->ctx) != isl_error_none)
    return;
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_PRIVATE);
  double limit = AS_GOOD * best < GOOD_FOR_THREADS * alone ? AS_GOOD * best : GOOD_FOR_THREADS * alone;
  limit = run->opt->force ? HUGE_VAL : limit > best ? limit : best;
  struct tsr_program *program = tsr_program_alloc(run->scop, isl_schedule_copy(bare));
  program = tsr_program_private_arrays(program);
  tsr_search_enter(run, "private arrays", "");
  tsr_search_try_threads(run, program, schedule, tsr_search_add_marks(run, steps, TSR_WHICH_PRIVATE), limit);
  tsr_search_leave(run);
  tsr_budget_end_trial(run->scop->ctx, trial);
}

/* With the threads that the options allow: the tree that is best on one core, with marks further out or in, or in another
 * form, or the schedule that looks for work for threads. */
static void find_threads(struct tsr_run *run)
{
  struct tsr_result *result = run->result;
  struct tsr_estimate one = run->after;
  struct tsr_trial trial = tsr_budget_begin_trial(run->scop->ctx, SHARE_OF_TRIALS);
  if (tsr_search_cost(run, result->variant[0].tree, &one, NULL) < 0) {
    tsr_budget_end_trial(run->scop->ctx, trial);
    return;
  }
  double alone = one.cost, best = run->opt->force ? HUGE_VAL : alone;
  isl_schedule *schedule = isl_schedule_copy(result->schedule), *bare = isl_schedule_copy(run->bare);
  isl_schedule *shared = share(run, schedule, bare);
  char *steps = tsr_search_steps(run);
  tsr_search_enter(run, "the best for one thread", steps);
  try_marks(run, schedule, bare, &best);
  tsr_search_enter(run, "in blocks", NULL);
  try_marks(run, schedule, shared, &best);
  tsr_search_leave(run);
  isl_schedule_free(shared);
  shared = share_panels(run, bare, best > GOOD_FOR_THREADS * alone);
  tsr_search_enter(run, "in panels", NULL);
  try_marks(run, schedule, shared, &best);
  tsr_search_leave(run);
  isl_schedule_free(shared);
  isl_schedule *split = NULL;
  if (best > GOOD_FOR_THREADS * alone)
    split = tsr_tree_split(isl_schedule_copy(bare), result->deps, true);
  tsr_search_enter(run, "index sets split", NULL);
  if (split)
    tsr_search_try(run, isl_schedule_copy(schedule), split, TSR_WHICH_OUTERMOST, &best);
  tsr_search_leave(run);
  tsr_search_leave(run);
  if (best > GOOD_FOR_THREADS * alone && !(best < alone && has_doacross(result->variant[0].tree))) {
    best = best < OTHER_FOR_THREADS * alone ? best : OTHER_FOR_THREADS * alone;
    tsr_search_try_schedule(run, tsr_schedule_compute(run->scop, result->deps, run->opt, NULL, NULL),
                            "scheduled for threads", &best);
  }
  tsr_search_enter(run, "the best for one thread", steps);
  try_private(run, schedule, bare, steps, alone, best);
  tsr_search_leave(run);
  free(steps);
  isl_schedule_free(schedule);
  isl_schedule_free(bare);
  tsr_budget_end_trial(run->scop->ctx, trial);
}

/* A copy of RATES, those of a variant, which may be NULL. */
static double *copy_rates(const struct tsr_run *run, const double *rates)
{
  size_t size = (2 * (size_t)run->scop->n_stmt + 1) * sizeof(*rates);
  double *copy = rates ? malloc(size) : NULL;
  return copy ? memcpy(copy, rates, size) : NULL;
}

/* With threads, and what became of the variant for ONE core, BARE without marks. */
static void keep_alone(struct tsr_run *run, const struct tsr_variant *one, isl_schedule *bare)
{
  struct tsr_result *result = run->result;
  find_threads(run);
  if (!result->variant[0].program && isl_schedule_plain_is_equal(run->bare, bare) == isl_bool_true)
    return;
  result->variant[0].condition.threads = true;
  result->variant[result->n_variant++] = (struct tsr_variant){.tree = isl_schedule_copy(one->tree),
                                                              .schedule = isl_schedule_copy(one->schedule),
                                                              .steps = one->steps ? strdup(one->steps) : NULL,
                                                              .rates = copy_rates(run, one->rates)};
}

void tsr_search_threads(struct tsr_run *run)
{
  struct tsr_variant *first = &run->result->variant[0];
  struct tsr_variant one = {.tree = isl_schedule_copy(first->tree),
                            .schedule = isl_schedule_copy(first->schedule),
                            .steps = first->steps ? strdup(first->steps) : NULL,
                            .rates = copy_rates(run, first->rates)};
  isl_schedule *bare = isl_schedule_copy(run->bare);
  run->opt = run->asked;
  keep_alone(run, &one, bare);
  isl_schedule_free(one.tree);
  isl_schedule_free(one.schedule);
  free(one.steps);
  free(one.rates);
  isl_schedule_free(bare);
}
