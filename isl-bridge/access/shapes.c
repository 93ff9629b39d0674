/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Questions about the shape of sets. */
#include "access/access.h"
#include <isl/constraint.h>
#include <isl/space.h>
#include <isl/val.h>

bool tsr_set_is_plain(isl_set *times)
{
  if (isl_set_n_basic_set(times) != 1)
    return false;
  isl_basic_set_list *list = isl_set_get_basic_set_list(times);
  isl_basic_set *only = isl_basic_set_list_get_at(list, 0);
  bool plain = isl_basic_set_dim(only, isl_dim_div) == 0;
  isl_basic_set_free(only);
  isl_basic_set_list_free(list);
  return plain;
}

/* t - f(p) for an equality t = f(p), as the affine hull of a set has them. */
static isl_stat find_equality(isl_constraint *constraint, void *user)
{
  isl_aff **plane = user;
  isl_size n = isl_constraint_dim(constraint, isl_dim_set), n_div = isl_constraint_dim(constraint, isl_dim_div);
  isl_bool fits = isl_constraint_is_equality(constraint);
  if (fits == isl_bool_true && !*plane &&
      isl_constraint_involves_dims(constraint, isl_dim_div, 0, n_div) == isl_bool_false) {
    isl_val *factor = isl_constraint_get_coefficient_val(constraint, isl_dim_set, n - 1);
    if (isl_val_is_one(factor) == isl_bool_true)
      *plane = isl_constraint_get_aff(constraint);
    else if (isl_val_is_negone(factor) == isl_bool_true)
      *plane = isl_aff_neg(isl_constraint_get_aff(constraint));
    isl_val_free(factor);
  }
  isl_constraint_free(constraint);
  return fits < 0 ? isl_stat_error : isl_stat_ok;
}

/* Are there points { [p, t] } with one p and several t? Then they are on no plane t = f(p), which is found faster than the
 * hull. */
static bool has_several_times(isl_set *points)
{
  isl_map *pairs = isl_map_universe(isl_space_map_from_set(isl_set_get_space(points)));
  isl_size n = isl_set_dim(points, isl_dim_set);
  for (int i = 0; i < n - 1; i++)
    pairs = isl_map_equate(pairs, isl_dim_in, i, isl_dim_out, i);
  pairs = isl_map_order_lt(pairs, isl_dim_in, n - 1, isl_dim_out, n - 1);
  pairs = isl_map_intersect_domain(pairs, isl_set_copy(points));
  pairs = isl_map_intersect_range(pairs, isl_set_copy(points));
  isl_bool none = isl_map_is_empty(pairs);
  isl_map_free(pairs);
  return none == isl_bool_false;
}

isl_aff *tsr_points_plane(isl_set *points)
{
  isl_aff *plane = NULL;
  if (isl_set_dim(points, isl_dim_set) < 1 || has_several_times(points))
    return NULL;
  isl_basic_set *hull = isl_set_affine_hull(isl_set_copy(points));
  if (isl_basic_set_foreach_constraint(hull, find_equality, &plane) < 0)
    plane = isl_aff_free(plane);
  isl_basic_set_free(hull);
  return plane;
}

isl_set *tsr_domain_has_steps(isl_set *domain, int pos, int n)
{
  isl_pw_aff *least = isl_set_dim_min(isl_set_copy(domain), pos), *most = isl_set_dim_max(isl_set_copy(domain), pos);
  isl_pw_aff *range = isl_pw_aff_sub(most, least);
  isl_set *all = isl_set_universe(isl_pw_aff_get_domain_space(range));
  isl_pw_aff *bound = isl_pw_aff_val_on_domain(all, isl_val_int_from_si(isl_set_get_ctx(domain), n - 1));
  return isl_pw_aff_ge_set(range, bound);
}

/* ---- rows of schedules ------------------------------------------------------------------------------------------- */

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

bool tsr_member_is_plain(isl_schedule_node *band, int i)
{
  bool plain = true;
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(band);
  isl_union_pw_aff *row = isl_multi_union_pw_aff_get_at(partial, i);
  isl_stat ok = isl_union_pw_aff_foreach_pw_aff(row, check_function, &plain);
  isl_union_pw_aff_free(row);
  isl_multi_union_pw_aff_free(partial);
  return ok == isl_stat_ok && plain;
}
