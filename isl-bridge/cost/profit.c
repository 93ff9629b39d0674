/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Is a change worth it, by what estimate.c says of the original and of what it would become? */
#include "cost/nests.h"
#include "model/thresholds.h"

const char tsr_not_lower[] = "the estimated cost is not lower";
static const char too_few[] = "too few iterations to gain from a transformation";

isl_bool tsr_profit_is_hopeless(struct tsr_scop *scop, const char **reason)
{
  double instances = 0;
  struct model model = {.scop = scop, .parameters = tsr_scop_typical(scop), .lane_dim = -1};
  bool known = scop->kept.typical && scop->kept.counted;
  for (int i = 0; i < scop->n_stmt && instances < MIN_INSTANCES && !known; i++)
    instances += tsr_stmt_instances(scop, &scop->stmts[i]) * tsr_nest_weight(&scop->stmts[i]);
  isl_set_free(model.parameters);
  *reason = too_few;
  if (isl_ctx_last_error(scop->ctx) != isl_error_none)
    return isl_bool_error;
  if (!known)
    scop->kept.few = instances < MIN_INSTANCES;
  scop->kept.counted = true;
  return isl_bool_ok(scop->kept.few);
}

/* What any change costs, with N_CHECK run-time checks. */
static double change_cost(int n_check)
{
  return 1000.0 + 100.0 * n_check;
}

bool tsr_profit_is_worth(double before, double after, int n_check)
{
  return after + change_cost(n_check) < MIN_GAIN * before;
}

bool tsr_profit_is_too_few(double instances)
{
  return instances < MIN_INSTANCES;
}

double tsr_profit_weight_of_rare(void)
{
  return RARE_INSTANCES;
}

double tsr_nest_weight(const struct tsr_stmt *stmt)
{
  return stmt->rare ? RARE_INSTANCES : 1;
}

/* Is what takes AFTER hardly dearer than the original, that takes BEFORE, where there is much more data than was assumed?
 * Tiles may pass over memory twice where that does once, and what it does with data at hand goes on beside that, whichever
 * statements are which. */
static bool is_worth_far(const struct tsr_estimate *before, const struct tsr_estimate *after)
{
  double lines = (before->far - before->within[TSR_MAX_CACHE]) * FAR_AS_DEAR / (FAR_AS_DEAR - 1), near = before->within[0];
  return after->far < AS_DEAR_FAR * (near > lines ? near : lines);
}

/* Where instances take much less to issue, as those of vectors in place of numbers: is it worth it where data is at hand,
 * and not dearer where it isn't? What is issued is known better than what caches do, and nobody knows where data is when a
 * nest begins. Where accesses had several forms it may be a little dearer: pixels come from a cache as a rule, and which
 * lines are needed stays as it was. */
static bool is_worth_in_caches(const struct tsr_estimate *before, const struct tsr_estimate *after, double change)
{
  return after->issue + change < MIN_GAIN * before->issue &&
         after->there < (before->several ? AS_DEAR : EQUALLY_DEAR) * before->there;
}

/* requires: CANDIDATE is a tree over SCOP's domain.  on failure: not worth it. */
struct tsr_profit tsr_profit_estimate(struct tsr_scop *scop, isl_schedule *candidate, int n_check, bool threads,
                                      struct tsr_estimate *before, struct tsr_estimate *after)
{
  struct tsr_profit profit = {.reason = "the cost could not be estimated"};
  if ((before->instances == 0 && tsr_tree_cost(scop, scop->schedule, false, threads, before, NULL) < 0) ||
      (after->instances == 0 && tsr_tree_cost(scop, candidate, true, threads, after, NULL) < 0))
    return profit;
  profit.before = before->cost;
  profit.after = after->cost + change_cost(n_check);
  bool caches_alone = after->strips || (after->panels && !threads);
  double most = after->leaves_out ? MIN_GAIN_OF_LESS
                : after->rows     ? MIN_GAIN_OF_ROWS
                : caches_alone    ? MIN_GAIN_OF_STRIPS
                : after->lanes    ? MIN_GAIN_OF_LANES
                : after->tiles    ? MIN_GAIN_OF_TILES
                : after->past     ? MIN_GAIN_OF_STREAMS
                                  : MIN_GAIN;
  profit.worth = profit.after < most * profit.before || is_worth_in_caches(before, after, change_cost(n_check));
  profit.worth = profit.worth && after->instances >= MIN_INSTANCES;
  if (profit.worth && after->tiles && !after->panels && !threads && profit.after > CLEAR_GAIN * profit.before)
    profit.worth = is_worth_far(before, after);
  if (after->instances < MIN_INSTANCES)
    profit.reason = too_few;
  else
    profit.reason = profit.worth ? "the estimated cost is lower" : tsr_not_lower;
  return profit;
}
