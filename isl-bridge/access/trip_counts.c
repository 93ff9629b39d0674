/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Trip counts of loops, for one typical point of the parameters: sizes of which nothing is known are taken to be large. */
#include "access/access.h"
#include "model/thresholds.h"
#include <isl/constraint.h>
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>

/* What is known, and that statements run, as far as they can together, those in the deepest loops first. */
static isl_set *running_parameters(struct tsr_scop *scop)
{
  isl_set *set = scop->kept.known
                     ? tsr_scop_known(scop)
                     : isl_set_params(isl_set_intersect(isl_set_copy(scop->context), isl_set_copy(scop->assumed)));
  for (int depth = TSR_MAX_DIM; depth > 0; depth--)
    for (int i = 0; i < scop->n_stmt; i++) {
      if (isl_set_dim(scop->stmts[i].domain, isl_dim_set) != depth)
        continue;
      isl_set *some = isl_set_intersect(isl_set_copy(set), isl_set_params(isl_set_copy(scop->stmts[i].domain)));
      isl_bool none = isl_set_is_empty(some);
      isl_set_free(none == isl_bool_false ? set : some);
      set = none == isl_bool_false ? some : set;
    }
  return set;
}

/* Is SET not empty with VALUE for parameter I? */
static bool allows(isl_set *set, int i, int value)
{
  isl_set *fixed = isl_set_fix_si(isl_set_copy(set), isl_dim_param, i, value);
  isl_bool empty = isl_set_is_empty(fixed);
  isl_set_free(fixed);
  return empty == isl_bool_false;
}

/* SET with one value for parameter I: AROUND if SET allows it, else the next one above, else the nearest below. */
static isl_set *fix_parameter(__isl_take isl_set *set, int i, int around)
{
  isl_size n = isl_set_dim(set, isl_dim_param);
  if (allows(set, i, around))
    return isl_set_fix_si(set, isl_dim_param, i, around);
  isl_set *values = isl_set_project_out(isl_set_copy(set), isl_dim_param, i + 1, n - i - 1);
  values = isl_set_move_dims(isl_set_from_params(isl_set_project_out(values, isl_dim_param, 0, i)), isl_dim_set, 0,
                             isl_dim_param, 0, 1);
  isl_val *value = isl_set_dim_min_val(isl_set_lower_bound_si(isl_set_copy(values), isl_dim_set, 0, around), 0);
  if (isl_val_is_int(value) != isl_bool_true) {
    isl_val_free(value);
    value = isl_set_dim_max_val(isl_set_copy(values), 0);
  }
  isl_set_free(values);
  if (isl_val_is_int(value) == isl_bool_true)
    return isl_set_fix_val(set, isl_dim_param, i, value);
  isl_val_free(value);
  return set;
}

/* What a parameter is to the loops of a SCoP. */
enum use {
  SIZE,  /* there are more iterations where it is larger */
  INNER, /* of some loops more, of others fewer */
  START, /* fewer */
  OTHER  /* no loop has to do with it */
};

/* How constraints on iterations go by a parameter. */
struct sign {
  const char *name;
  bool more, fewer, any;
};

static isl_stat note_constraint(isl_constraint *c, void *user)
{
  struct sign *sign = user;
  isl_size n = isl_constraint_dim(c, isl_dim_set);
  isl_space *space = isl_constraint_get_space(c);
  int at = isl_space_find_dim_by_name(space, isl_dim_param, sign->name);
  isl_space_free(space);
  if (at >= 0 && n > 0 && isl_constraint_involves_dims(c, isl_dim_set, 0, (unsigned)n) == isl_bool_true &&
      isl_constraint_is_equality(c) == isl_bool_false) {
    isl_val *coefficient = isl_constraint_get_coefficient_val(c, isl_dim_param, at);
    sign->more |= isl_val_is_pos(coefficient) == isl_bool_true;
    sign->fewer |= isl_val_is_neg(coefficient) == isl_bool_true;
    isl_val_free(coefficient);
  }
  isl_constraint_free(c);
  return isl_stat_ok;
}

static isl_stat note_basic_set(isl_basic_set *set, void *user)
{
  isl_basic_set_foreach_constraint(set, note_constraint, user);
  isl_basic_set_free(set);
  return isl_stat_ok;
}

/* What parameter I of SET is in SCOP. */
static enum use use_of(struct tsr_scop *scop, isl_set *set, int i)
{
  struct sign sign = {.name = isl_set_get_dim_name(set, isl_dim_param, i)};
  for (int k = 0; k < scop->n_stmt && sign.name && !(sign.more && sign.fewer); k++) {
    int at = isl_set_find_dim_by_name(scop->stmts[k].domain, isl_dim_param, sign.name);
    if (at >= 0 && isl_set_involves_dims(scop->stmts[k].domain, isl_dim_param, at, 1) == isl_bool_true) {
      sign.any = true;
      isl_set_foreach_basic_set(scop->stmts[k].domain, note_basic_set, &sign);
    }
  }
  return !sign.any ? OTHER : !sign.fewer ? SIZE : sign.more ? INNER : START;
}

/* One value for each parameter. Sizes of loops come first: with 1000 for a leading dimension, two of them that add up to it
 * would leave one of the loops empty, and so would 1000 for where a loop begins. */
static isl_set *find_parameters(struct tsr_scop *scop)
{
  static const int around[] = {ASSUMED_PARAMETER, ASSUMED_PARAMETER / 2, 0, ASSUMED_PARAMETER};
  isl_set *set = running_parameters(scop);
  isl_size n = isl_set_dim(set, isl_dim_param);
  enum use *use = malloc(((size_t)(n > 0 ? n : 0) + 1) * sizeof(*use));
  for (int i = 0; i < n; i++)
    use[i] = use_of(scop, set, i);
  for (int kind = SIZE; kind <= OTHER; kind++)
    for (int i = 0; i < n; i++)
      if (use[i] == (enum use)kind)
        set = fix_parameter(set, i, around[kind]);
  free(use);
  return isl_set_coalesce(set); /* which may be the same point several times */
}

/* The same, found once. */
isl_set *tsr_scop_typical(struct tsr_scop *scop)
{
  tsr_scop_renew(scop);
  if (scop->kept.typical)
    return isl_set_copy(scop->kept.typical);
  isl_set *set = find_parameters(scop);
  scop->kept.counted = false;
  scop->kept.sized = false;
  if (isl_ctx_last_error(scop->ctx) == isl_error_none)
    scop->kept.typical = isl_set_copy(set);
  return set;
}

/* Fix dimension POS of *TIMES, which has values from FIRST to LAST, STRIDE apart, at the middle one. */
static void fix_middle(isl_set **times, int pos, long first, long last, long stride)
{
  long steps = (last - first) / stride;
  isl_set *middle = isl_set_fix_si(isl_set_copy(*times), isl_dim_set, pos, first + steps / 2 * stride);
  if (steps > 0 && isl_set_is_empty(middle) != isl_bool_false) {
    isl_set_free(middle);
    middle = isl_set_fix_si(isl_set_copy(*times), isl_dim_set, pos, first);
  }
  isl_set_free(*times);
  *times = middle;
}

/* Values of dimension POS of TIMES, which is then fixed at the middle one. */
double tsr_times_trips(isl_set **times, int pos, long *stride)
{
  isl_val *low = isl_set_dim_min_val(isl_set_copy(*times), pos), *high = isl_set_dim_max_val(isl_set_copy(*times), pos);
  double trips = 1;
  *stride = 1;
  if (isl_val_is_int(low) == isl_bool_true && isl_val_is_int(high) == isl_bool_true) {
    long first = isl_val_get_num_si(low), last = isl_val_get_num_si(high);
    *stride = last > first ? tsr_time_stride(*times, pos) : 1;
    trips = (double)((last - first) / *stride + 1);
    fix_middle(times, pos, first, last, *stride);
  } else if (isl_val_is_nan(low) != isl_bool_true) {
    trips = ASSUMED_PARAMETER;
  }
  isl_val_free(low);
  isl_val_free(high);
  return trips;
}

double tsr_band_trips(isl_schedule_node *band, struct tsr_scop *scop)
{
  isl_union_set *domain = isl_union_set_intersect_params(isl_schedule_node_get_domain(band), tsr_scop_typical(scop));
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(band);
  isl_multi_union_pw_aff *member = tsr_member_schedule(partial, 0);
  isl_union_set *all = isl_union_set_apply(domain, isl_union_map_from_multi_union_pw_aff(member));
  isl_multi_union_pw_aff_free(partial);
  double trips = 0;
  if (isl_union_set_n_set(all) == 1) {
    isl_set *times = isl_set_from_union_set(all);
    long stride;
    trips = tsr_times_trips(&times, 0, &stride);
    isl_set_free(times);
  } else {
    isl_union_set_free(all);
  }
  return trips;
}

double tsr_set_points(struct tsr_scop *scop, isl_set *set)
{
  isl_set *domain = isl_set_intersect_params(isl_set_copy(set), tsr_scop_typical(scop));
  isl_size n = isl_set_dim(domain, isl_dim_set);
  double points = isl_set_is_empty(domain) == isl_bool_true ? 0 : 1;
  long stride;
  for (int pos = 0; pos < n && points > 0; pos++)
    points *= tsr_times_trips(&domain, pos, &stride);
  isl_set_free(domain);
  return points;
}

double tsr_stmt_instances(struct tsr_scop *scop, const struct tsr_stmt *stmt)
{
  return tsr_set_points(scop, stmt->domain);
}

double tsr_profit_assumed_parameter(void)
{
  return ASSUMED_PARAMETER;
}
