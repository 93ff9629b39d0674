/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A variant for small sizes: where tiles of registers pay from some sizes on, loops in another order may do so earlier, as
 * they have no buffers to fill, no edges, and vectors of any length. Of the trees without tiles that the search has seen it
 * is the cheapest.
 *
 *   sizes of the result    what both variants ask for: in front of everything
 *   .. of the large one    those from which on that is faster than the original, and than the small one
 *   .. of the small one    the same, if they aren't those of the result; else the original runs
 *
 * It is there where the result's sizes become clearly smaller by it, and what runs between gains clearly. Only if it gains
 * at large sizes, too, tiles of parts of numbers may have to wait for those at which they are faster than it. */
#include "access/access.h"
#include "ast/ast.h"
#include "check/check.h"
#include "cost/cost.h"
#include "model/thresholds.h"
#include <stdlib.h>
#include <string.h>

/* What SIZES asks for of the product of all. */
static double product_of(const struct tsr_sizes *sizes)
{
  double least = 1;
  for (int i = 0; i < sizes->n; i++)
    least *= (double)sizes->least[i];
  return (double)sizes->product > least ? (double)sizes->product : least;
}

/* Does FEW ask for less of the product of all sizes than MANY, and for not much more of any? */
static bool asks_for_less(const struct tsr_sizes *few, const struct tsr_sizes *many)
{
  bool less = few->n == many->n;
  for (int i = 0; i < few->n && less; i++)
    less = few->least[i] <= MORE_OF_SMALL * many->least[i];
  return less && product_of(many) >= LEAST_OF_TILES && product_of(few) * LESS_OF_SMALL <= product_of(many);
}

/* Does all that MANY lets pass pass FEW? */
static bool lets_more_pass(const struct tsr_sizes *few, const struct tsr_sizes *many)
{
  bool more = product_of(few) <= product_of(many);
  for (int i = 0; i < few->n; i++)
    more &= few->least[i] <= many->least[i];
  return more;
}

/* What FEW and MANY, of the same sizes, both ask for, and a product so large that asking for more behind it costs nothing.
 */
static struct tsr_sizes *common(const struct tsr_sizes *few, const struct tsr_sizes *many)
{
  struct tsr_sizes *both = calloc(1, sizeof(*both));
  double least = 1, product = product_of(many) < ENOUGH_TO_ASK ? product_of(many) : ENOUGH_TO_ASK;
  product = product > product_of(few) ? product : product_of(few);
  for (int i = 0; both && i < few->n; i++) {
    both->size[i] = isl_ast_expr_copy(few->size[i]);
    both->least[i] = few->least[i] < many->least[i] ? few->least[i] : many->least[i];
    least *= (double)both->least[i];
    both->n++;
  }
  if (both)
    both->product = product > least ? (long)product : 0;
  return both;
}

/* Of fewer iterations than that of any loop less is known than SIZES says. */
static void raise_to_least(struct tsr_sizes *sizes)
{
  for (int i = 0; i < sizes->n; i++)
    sizes->least[i] = sizes->least[i] > LEAST_OF_SMALL ? sizes->least[i] : LEAST_OF_SMALL;
}

bool tsr_run_make_small(struct tsr_run *run, struct tsr_variant *small)
{
  struct tsr_variant *plain = &run->plain;
  if (!plain->tree || !plain->rates || product_of(run->result->sizes) < LEAST_OF_TILES ||
      isl_schedule_plain_is_equal(plain->tree, run->result->variant[0].tree) != isl_bool_false)
    return false;
  *small = *plain;
  *plain = (struct tsr_variant){0};
  small->ast = tsr_scop_ast(run->scop, small->tree);
  return small->ast && tsr_register_nests_are_good(small->ast) && tsr_lockstep_nests_are_good(small->ast);
}

bool tsr_run_check_small(struct tsr_run *run, const struct tsr_variant *small)
{
  char *why = NULL;
  isl_bool legal = run->opt->relax_reductions ? isl_bool_false
                   : run->result->exact       ? tsr_check_schedule_exact(run->scop, small->tree, &why)
                                              : tsr_check_schedule(run->scop, small->tree, &why);
  free(why);
  return legal == isl_bool_true;
}

/* A copy of SIZES. */
static struct tsr_sizes *copy_of(const struct tsr_sizes *sizes)
{
  struct tsr_sizes *copy = calloc(1, sizeof(*copy));
  for (int i = 0; copy && i < sizes->n; i++) {
    copy->size[i] = isl_ast_expr_copy(sizes->size[i]);
    copy->least[i] = sizes->least[i];
    copy->n++;
  }
  if (copy)
    copy->product = sizes->product;
  return copy;
}

/* Does SMALL gain clearly in RUN at large sizes, too, and do statements have parts of numbers? What is beside tiles of these
 * takes more than the costs say; beside others it takes less. */
static bool gains_when_large(struct tsr_run *run, const struct tsr_variant *small)
{
  struct tsr_estimate before = {0}, after = {0};
  struct tsr_scop *scop = run->scop;
  bool parts = false;
  for (int i = 0; i < scop->n_stmt; i++)
    parts |= tsr_stmt_has_parts(scop, &scop->stmts[i]);
  bool known = parts && tsr_tree_cost(scop, scop->schedule, false, false, &before, NULL) == isl_stat_ok &&
               tsr_tree_cost(scop, small->tree, true, false, &after, NULL) == isl_stat_ok;
  return known && after.cost < GAIN_OF_SMALL * before.cost;
}

/* From which of RUN's sizes on LARGE runs where SMALL does before: not those of MANY, at which it is faster than the
 * original, but later ones at which it is faster than SMALL; where the costs know none, though estimates for large sizes do,
 * it is LATER_TILES those. */
static struct tsr_sizes *better_than_small(struct tsr_run *run, const struct tsr_size_costs *large,
                                           const struct tsr_size_costs *small, const struct tsr_sizes *many)
{
  struct tsr_sizes *later = NULL;
  struct tsr_least_data any = {0};
  bool good = tsr_sizes_find(run->scop, small, large, GAIN_OF_TILES, any, NULL, false, &later) == TSR_SIZES_SOME &&
              later->n == many->n && lets_more_pass(many, later) && tsr_sizes_ratio(run->scop, small, large, later) < 1;
  if (good)
    return later;
  tsr_sizes_free(later);
  later = copy_of(many);
  for (int i = 0; later && i < later->n; i++) {
    later->least[i] *= later->least[i] > 1 ? LATER_TILES : 1;
    later->product *= LATER_TILES;
  }
  return later;
}

/* What SMALL takes of OLD in SCOP where all sizes are the most that FEW or MANY ask for of one. */
static double ratio_behind(struct tsr_scop *scop, const struct tsr_size_costs *old, const struct tsr_size_costs *small,
                           const struct tsr_sizes *few, const struct tsr_sizes *many)
{
  struct tsr_sizes *both = copy_of(many);
  int64_t most = 1;
  for (int i = 0; both && i < both->n; i++) {
    most = few->least[i] > most ? few->least[i] : most;
    most = many->least[i] > most ? many->least[i] : most;
  }
  for (int i = 0; both && i < both->n; i++)
    both->least[i] = most;
  double ratio = both ? tsr_sizes_ratio(scop, old, small, both) : 1;
  tsr_sizes_free(both);
  return ratio;
}

void tsr_small_sizes_clear(struct tsr_small_sizes *sizes)
{
  tsr_sizes_free(sizes->front);
  tsr_sizes_free(sizes->large);
  tsr_sizes_free(sizes->small);
  *sizes = (struct tsr_small_sizes){.front = NULL};
}

bool tsr_run_find_small_sizes(struct tsr_run *run, const struct tsr_variant *large, const struct tsr_variant *small,
                              struct tsr_small_sizes *sizes)
{
  struct tsr_size_costs *old = tsr_run_original_costs(run), *new = old ? tsr_run_variant_costs(run, small) : NULL;
  struct tsr_size_costs *tiles = new ? tsr_run_variant_costs(run, large) : NULL;
  struct tsr_least_data any = {0};
  bool gains = tiles && gains_when_large(run, small);
  *sizes = (struct tsr_small_sizes){.large = gains   ? better_than_small(run, tiles, new, run->result->sizes)
                                             : tiles ? copy_of(run->result->sizes)
                                                     : NULL};
  if (old)
    tsr_size_costs_be_careful(old);
  bool good = sizes->large && !tsr_size_costs_are_straight(old) &&
              tsr_sizes_find(run->scop, old, new, LEAST_GAIN_OF_SIZES, any, NULL, false, &sizes->small) == TSR_SIZES_SOME &&
              asks_for_less(sizes->small, sizes->large);
  if (good)
    good = (gains ? ratio_behind(run->scop, old, new, sizes->small, sizes->large)
                  : tsr_sizes_ratio(run->scop, old, new, run->result->sizes)) < GAIN_OF_SMALL;
  if (good)
    raise_to_least(sizes->small);
  if (good && !lets_more_pass(sizes->small, sizes->large)) {
    sizes->front = common(sizes->small, sizes->large);
    good = sizes->front && product_of(sizes->front) * LESS_OF_BOTH <= product_of(sizes->large);
  } else if (good) {
    sizes->front = sizes->small;
    sizes->small = NULL;
  }
  if (!good)
    tsr_small_sizes_clear(sizes);
  tsr_size_costs_free(old);
  tsr_size_costs_free(new);
  tsr_size_costs_free(tiles);
  return good;
}

void tsr_run_set_small_sizes(struct tsr_run *run, struct tsr_variant *large, struct tsr_variant *small,
                             struct tsr_small_sizes *sizes)
{
  tsr_sizes_free(run->result->sizes);
  run->result->sizes = sizes->front;
  large->condition.sizes = sizes->large;
  small->condition.sizes = sizes->small;
  *sizes = (struct tsr_small_sizes){.front = NULL};
}
