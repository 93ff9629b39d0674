/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which pairs of instances does a schedule put in order? isl's own functions for it (isl_union_map_lex_lt_at_.., ..) make a
 * relation of two piecewise functions first, whatever these are. Nearly all schedules are a single affine function for each
 * statement: then it is one constraint on the pairs for each dimension, or one with divisions, and that is added here. What
 * is not like that goes to isl. */
#include "deps/deps.h"
#include <isl/constraint.h>
#include <isl/space.h>
#include <isl/val.h>

enum order { BEFORE, AFTER, SAME };

static isl_stat take_aff(isl_set *domain, isl_aff *aff, void *user)
{
  isl_set_free(domain);
  *(isl_aff **)user = aff;
  return isl_stat_ok;
}

/* How the instances in SPACE, of one statement, are scheduled by dimension POS of TIMES; NULL: not by one affine function.
 */
static isl_aff *time_of(isl_multi_union_pw_aff *times, int pos, __isl_take isl_space *space)
{
  isl_union_pw_aff *row = isl_multi_union_pw_aff_get_at(times, pos);
  isl_pw_aff *time = isl_union_pw_aff_extract_pw_aff(row, isl_space_add_dims(isl_space_from_domain(space), isl_dim_out, 1));
  isl_aff *aff = NULL;
  if (isl_pw_aff_n_piece(time) == 1 && isl_pw_aff_foreach_piece(time, take_aff, &aff) < 0)
    aff = isl_aff_free(aff);
  isl_pw_aff_free(time);
  isl_union_pw_aff_free(row);
  return aff;
}

/* Is AFF a sum of whole multiples of iterators and parameters? */
static bool is_sum(isl_aff *aff)
{
  isl_val *denominator = isl_aff_get_denominator_val(aff);
  bool is = isl_aff_dim(aff, isl_dim_div) == 0 && isl_val_is_one(denominator) == isl_bool_true;
  isl_val_free(denominator);
  return is;
}

/* CONSTRAINT plus FACTOR times the coefficients of AFF, whose iterators are dimensions TYPE of it. */
static isl_constraint *add_aff(isl_constraint *constraint, isl_aff *aff, enum isl_dim_type type, int factor)
{
  const enum isl_dim_type from[] = {isl_dim_param, isl_dim_in}, to[] = {isl_dim_param, type};
  for (int t = 0; t < 2; t++) {
    isl_size n = isl_aff_dim(aff, from[t]);
    for (int i = 0; i < n; i++) {
      isl_val *value =
          isl_val_mul(isl_aff_get_coefficient_val(aff, from[t], i), isl_val_int_from_si(isl_aff_get_ctx(aff), factor));
      if (isl_val_is_zero(value) != isl_bool_true)
        constraint = isl_constraint_set_coefficient_val(
            constraint, to[t], i, isl_val_add(value, isl_constraint_get_coefficient_val(constraint, to[t], i)));
      else
        isl_val_free(value);
    }
  }
  isl_val *value = isl_val_mul(isl_aff_get_constant_val(aff), isl_val_int_from_si(isl_aff_get_ctx(aff), factor));
  return isl_constraint_set_constant_val(constraint, isl_val_add(value, isl_constraint_get_constant_val(constraint)));
}

/* { [t] -> [t'] : t in ORDER to t' } */
static isl_map *relation_of(isl_space *space, enum order order)
{
  isl_map *map = isl_map_universe(isl_space_map_from_set(space));
  return order == BEFORE  ? isl_map_order_lt(map, isl_dim_in, 0, isl_dim_out, 0)
         : order == AFTER ? isl_map_order_gt(map, isl_dim_in, 0, isl_dim_out, 0)
                          : isl_map_equate(map, isl_dim_in, 0, isl_dim_out, 0);
}

/* Those of PAIRS { S -> T } with the time FIRST of S in ORDER to SECOND of T. */
static isl_map *add_order(__isl_take isl_map *pairs, isl_aff *first, isl_aff *second, enum order order)
{
  if (!is_sum(first) || !is_sum(second)) {
    isl_map *to = isl_map_from_aff(isl_aff_copy(first)), *from = isl_map_reverse(isl_map_from_aff(isl_aff_copy(second)));
    isl_map *map = isl_map_apply_range(to, relation_of(isl_space_range(isl_map_get_space(to)), order));
    return isl_map_intersect(pairs, isl_map_apply_range(map, from));
  }
  isl_space *space = isl_space_params(isl_aff_get_space(first));
  space = isl_space_align_params(space, isl_space_params(isl_aff_get_space(second)));
  pairs = isl_map_align_params(pairs, space);
  space = isl_map_get_space(pairs);
  first = isl_aff_align_params(isl_aff_copy(first), isl_space_copy(space));
  second = isl_aff_align_params(isl_aff_copy(second), isl_space_copy(space));
  isl_local_space *local = isl_local_space_from_space(space);
  isl_constraint *constraint = order == SAME ? isl_constraint_alloc_equality(local) : isl_constraint_alloc_inequality(local);
  if (order != SAME)
    constraint = isl_constraint_set_constant_si(constraint, -1);
  constraint = add_aff(constraint, first, isl_dim_in, order == AFTER ? 1 : -1);
  constraint = add_aff(constraint, second, isl_dim_out, order == AFTER ? -1 : 1);
  isl_aff_free(first);
  isl_aff_free(second);
  return isl_map_add_constraint(pairs, constraint);
}

struct ordering {
  isl_multi_union_pw_aff *times;
  enum order order;
  isl_union_map *found;
};

/* By isl. */
static isl_union_map *order_by_isl(__isl_take isl_union_map *pairs, isl_multi_union_pw_aff *times, enum order order)
{
  times = isl_multi_union_pw_aff_copy(times);
  return order == BEFORE  ? isl_union_map_lex_lt_at_multi_union_pw_aff(pairs, times)
         : order == AFTER ? isl_union_map_lex_gt_at_multi_union_pw_aff(pairs, times)
                          : isl_union_map_eq_at_multi_union_pw_aff(pairs, times);
}

static isl_stat order_map(isl_map *map, void *user)
{
  struct ordering *ordering = user;
  isl_size n = isl_multi_union_pw_aff_size(ordering->times);
  isl_map *rest = isl_map_copy(map), *found = NULL;
  bool plain = n > 0;
  for (int pos = 0; pos < n && plain; pos++) {
    isl_aff *first = time_of(ordering->times, pos, isl_space_domain(isl_map_get_space(map)));
    isl_aff *second = time_of(ordering->times, pos, isl_space_range(isl_map_get_space(map)));
    plain = first && second;
    if (plain && ordering->order != SAME) {
      isl_map *part = add_order(isl_map_copy(rest), first, second, ordering->order);
      found = found ? isl_map_union(found, part) : part;
    }
    if (plain && (ordering->order == SAME || pos < n - 1))
      rest = add_order(rest, first, second, SAME);
    isl_aff_free(first);
    isl_aff_free(second);
  }
  isl_union_map *all;
  if (plain) {
    all = isl_union_map_from_map(ordering->order == SAME ? isl_map_copy(rest) : isl_map_copy(found));
    isl_map_free(map);
  } else {
    all = order_by_isl(isl_union_map_from_map(map), ordering->times, ordering->order);
  }
  isl_map_free(rest);
  isl_map_free(found);
  ordering->found = isl_union_map_union(ordering->found, all);
  return isl_stat_non_null(ordering->found);
}

static isl_union_map *order_all(__isl_take isl_union_map *pairs, __isl_take isl_multi_union_pw_aff *times, enum order order)
{
  struct ordering ordering = {times, order, isl_union_map_empty(isl_union_map_get_space(pairs))};
  if (isl_union_map_foreach_map(pairs, order_map, &ordering) < 0)
    ordering.found = isl_union_map_free(ordering.found);
  isl_union_map_free(pairs);
  isl_multi_union_pw_aff_free(times);
  return ordering.found;
}

isl_union_map *tsr_pairs_before(isl_union_map *pairs, isl_multi_union_pw_aff *times)
{
  return order_all(pairs, times, BEFORE);
}

isl_union_map *tsr_pairs_after(isl_union_map *pairs, isl_multi_union_pw_aff *times)
{
  return order_all(pairs, times, AFTER);
}

isl_union_map *tsr_pairs_at_once(isl_union_map *pairs, isl_multi_union_pw_aff *times)
{
  return order_all(pairs, times, SAME);
}

/* 0 if A and B are the same number, below or above if they are others; *KNOWN: are both numbers? */
static int compare_numbers(isl_aff *a, isl_aff *b, bool *known)
{
  *known = isl_aff_is_cst(a) == isl_bool_true && isl_aff_is_cst(b) == isl_bool_true;
  if (!*known)
    return 0;
  isl_val *way = isl_val_sub(isl_aff_get_constant_val(a), isl_aff_get_constant_val(b));
  int sign = isl_val_sgn(way);
  isl_val_free(way);
  return sign;
}

isl_map *tsr_pairs_by_time(isl_multi_aff *first, isl_multi_aff *second)
{
  isl_space *from = isl_space_domain(isl_multi_aff_get_space(first)),
            *to = isl_space_domain(isl_multi_aff_get_space(second));
  from = isl_space_align_params(from, isl_space_copy(to));
  to = isl_space_align_params(to, isl_space_copy(from));
  isl_map *rest = isl_map_universe(isl_space_map_from_domain_and_range(from, to));
  isl_map *found = isl_map_empty(isl_map_get_space(rest));
  isl_size n = isl_multi_aff_size(first);
  int sign = 0;
  for (int pos = 0; pos < n && !sign; pos++) {
    isl_aff *a = isl_multi_aff_get_at(first, pos), *b = isl_multi_aff_get_at(second, pos);
    bool known;
    sign = compare_numbers(a, b, &known);
    if (sign < 0)
      found = isl_map_union(found, isl_map_copy(rest));
    if (!known) {
      found = isl_map_union(found, add_order(isl_map_copy(rest), a, b, BEFORE));
      rest = add_order(rest, a, b, SAME);
    }
    isl_aff_free(a);
    isl_aff_free(b);
  }
  isl_map_free(rest);
  return found;
}
