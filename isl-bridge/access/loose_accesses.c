/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Accesses of which data says one subscript: in { S[i] -> A[k, i] : 0 <= k <= 6 } it is the first one. Which of these
 * elements an instance touches nobody knows, but one it is, and it stays that one, counted from the least on, where the
 * relation changes: that is what the checker proves, and what code does. */
#include "access/access.h"
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

/* { A[e] -> A[e'] : e' is e but for e'_D, which is from FIRST to LAST more } */
static isl_map *along(__isl_take isl_space *space, int d, long first, long last)
{
  isl_ctx *ctx = isl_space_get_ctx(space);
  isl_set *steps = isl_set_universe(isl_space_copy(space));
  isl_size n = isl_set_dim(steps, isl_dim_set);
  for (int i = 0; i < n; i++) {
    steps = isl_set_lower_bound_val(steps, isl_dim_set, i, isl_val_int_from_si(ctx, i == d ? first : 0));
    steps = isl_set_upper_bound_val(steps, isl_dim_set, i, isl_val_int_from_si(ctx, i == d ? last : 0));
  }
  return isl_map_intersect(isl_map_universe(isl_space_map_from_set(space)), isl_set_translation(steps));
}

/* Find the subscript in which DELTAS, from the least to the last element, has something; false: it isn't one, or not always
 * the same. Takes DELTAS. */
static bool find_subscript(__isl_take isl_set *deltas, struct tsr_loose *loose)
{
  isl_size n = isl_set_dim(deltas, isl_dim_set);
  bool good = n > 0;
  for (int d = 0; d < n && good; d++) {
    isl_val *least = isl_set_dim_min_val(isl_set_copy(deltas), d), *most = isl_set_dim_max_val(isl_set_copy(deltas), d);
    good = isl_val_is_int(most) == isl_bool_true && isl_val_eq(least, most) == isl_bool_true;
    if (good && isl_val_is_zero(most) == isl_bool_false) {
      good = loose->subscript < 0;
      loose->subscript = d;
      loose->extent = isl_val_get_num_si(most);
    }
    isl_val_free(least);
    isl_val_free(most);
  }
  isl_set_free(deltas);
  return good && loose->subscript >= 0;
}

/* Has each subscript of RELATION a least and a greatest value, for an instance? */
static bool is_bounded(isl_map *relation)
{
  isl_set *pairs = isl_map_wrap(isl_map_copy(relation));
  isl_size n_in = isl_map_dim(relation, isl_dim_in), n_out = isl_map_dim(relation, isl_dim_out);
  bool bounded = n_in >= 0 && n_out >= 0;
  for (int d = 0; d < n_out && bounded; d++)
    bounded = isl_set_dim_has_lower_bound(pairs, isl_dim_set, n_in + d) == isl_bool_true &&
              isl_set_dim_has_upper_bound(pairs, isl_dim_set, n_in + d) == isl_bool_true;
  isl_set_free(pairs);
  return bounded;
}

isl_bool tsr_access_loose(isl_map *relation, isl_map *of, struct tsr_loose *loose)
{
  *loose = (struct tsr_loose){.subscript = -1};
  isl_bool single = of ? isl_map_is_single_valued(of) : isl_bool_false; /* of one piece, as a rule */
  single = single == isl_bool_false ? isl_map_is_single_valued(relation) : single;
  if (single != isl_bool_false) {
    loose->least = isl_map_copy(relation);
    return single;
  }
  if (!is_bounded(relation))
    return isl_bool_false;
  loose->least = isl_map_lexmin(isl_map_copy(relation));
  isl_map *pairs = isl_map_reverse(isl_map_copy(loose->least));
  pairs = isl_map_apply_range(pairs, isl_map_lexmax(isl_map_copy(relation)));
  if (!find_subscript(isl_map_deltas(pairs), loose))
    return isl_bool_false;
  isl_space *space = isl_space_range(isl_map_get_space(relation));
  isl_map *all = isl_map_apply_range(isl_map_copy(loose->least), along(space, loose->subscript, 0, loose->extent));
  isl_bool same = isl_map_is_equal(all, relation);
  isl_map_free(all);
  return same;
}

isl_map *tsr_loose_at(const struct tsr_loose *loose, long more)
{
  isl_map *least = isl_map_copy(loose->least);
  if (loose->subscript < 0)
    return least;
  isl_space *space = isl_space_range(isl_map_get_space(least));
  return isl_map_apply_range(least, along(space, loose->subscript, more, more));
}

void tsr_loose_clear(struct tsr_loose *loose)
{
  loose->least = isl_map_free(loose->least);
}
