/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a result of the pipeline says of other models: of parts of its own, and of the same code without some of its arrays.
 */
#include "cost/cost.h"
#include "marks/marks.h"
#include "model/thresholds.h"

bool tsr_result_may_gain(struct tsr_result *result, struct tsr_scop *scop, const bool *stmts)
{
  double before = 0, best = 0;
  struct tsr_estimate all;
  if (result->hopeless)
    return false;
  if (!result->best)
    return true;
  if (!result->original) {
    result->original = calloc(scop->n_stmt + 1, sizeof(*result->original));
    if (!result->original || tsr_tree_cost(scop, scop->schedule, false, result->threads, &all, result->original) < 0)
      return true;
  }
  for (int i = 0; i < scop->n_stmt; i++)
    if (stmts[i]) {
      before += result->original[i];
      best += result->best[i];
    }
  return best < NO_GAIN * before;
}

/* Has RESULT a transformation that costs less than SHARE of COST? */
static bool is_cheaper(const struct tsr_result *result, double share, double cost)
{
  return result->verdict == TSR_OK && result->n_candidate && result->candidate[result->taken].cost < share * cost;
}

/* The original takes time only where the condition holds, the new code at all points. */
double tsr_result_least_share(const struct tsr_result *result, const struct tsr_options *opt)
{
  const struct tsr_profit *profit = &result->profit;
  bool asked = opt->force || opt->influence || opt->strategy_file || profit->before <= 0 || profit->after <= 0;
  double share = asked ? 0 : MARGIN_OF_OFTEN * profit->after / profit->before; /* there is no profit of commands */
  return share < 1 ? share : 1;
}

bool tsr_result_is_clear(const struct tsr_result *result)
{
  return is_cheaper(result, CLEAR_GAIN, result->before.cost);
}

bool tsr_result_has_tiles(const struct tsr_result *result)
{
  bool has = false;
  for (int i = 0; i < result->n_variant && !has; i++)
    has = tsr_tree_has_mark(result->variant[i].tree, TSR_MARK_REGISTERS);
  return has;
}

bool tsr_result_is_better(const struct tsr_result *result, const struct tsr_result *other)
{
  bool known = !other || (other->verdict == TSR_OK && other->n_candidate);
  if (!known || !other)
    return !known || is_cheaper(result, MIN_GAIN_OF_TILES, result->before.cost);
  bool tiles = tsr_result_has_tiles(result), both = tiles && tsr_result_has_tiles(other);
  double most = both ? EXPANSION_GAIN_OF_TILES : tiles ? MIN_GAIN_OF_TILES : EXPANSION_GAIN;
  return is_cheaper(result, most, other->candidate[other->taken].cost);
}
