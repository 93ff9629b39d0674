/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A variant for small sizes: where tiles of registers pay from some sizes on, loops in another order may do so earlier, as
 * they have no buffers to fill, no edges, and vectors of any length. Of the trees without tiles that the search has seen it
 * is the cheapest.
 *
 *   sizes of the result    what both variants ask for: in front of everything
 *   .. of the large one    those from which on that is faster than the original
 *   .. of the small one    the same, if they aren't those of the result; else the original runs
 *
 * It is there where the result's sizes become clearly smaller by it, and what runs between gains clearly. */
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

bool tsr_run_find_small_sizes(struct tsr_run *run, struct tsr_variant *large, struct tsr_variant *small)
{
  struct tsr_sizes *few = NULL, *many = run->result->sizes;
  struct tsr_size_costs *old = tsr_run_original_costs(run), *new = old ? tsr_run_variant_costs(run, small) : NULL;
  struct tsr_least_data any = {0};
  if (old)
    tsr_size_costs_be_careful(old);
  bool good = new && !tsr_size_costs_are_straight(old) &&
              tsr_sizes_find(run->scop, old, new, LEAST_GAIN_OF_SIZES, any, NULL, false, &few) == TSR_SIZES_SOME &&
              asks_for_less(few, many) && tsr_sizes_ratio(run->scop, old, new, many) < GAIN_OF_SMALL;
  if (good)
    raise_to_least(few);
  struct tsr_sizes *both = good && !lets_more_pass(few, many) ? common(few, many) : NULL;
  if (both && product_of(both) * LESS_OF_BOTH > product_of(many)) {
    both = tsr_sizes_free(both);
    good = false;
  }
  if (good) {
    large->condition.sizes = many;
    small->condition.sizes = both ? few : NULL;
    run->result->sizes = both ? both : few;
  } else {
    tsr_sizes_free(few);
  }
  tsr_size_costs_free(old);
  tsr_size_costs_free(new);
  return good;
}
