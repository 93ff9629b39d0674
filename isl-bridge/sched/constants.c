/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Large constants, replaced by parameters while the scheduler runs: its linear programs (Farkas multipliers of every
 * dependence) get coefficients of many digits from { S[i] : i < 1000 }, and take seconds where { S[i] : i < N } takes
 * milliseconds.
 *
 *   find        values     1000, 1100, ...    from the statements' domains; what differs by a little is one value
 *   abstract    i <= 998   ->   i <= N0 - 2    in domains and dependences
 *   concretise  a tree in i, j and N0   ->   the same tree over the original domains, N0 = 1000
 *
 * A schedule that is legal for all N0 is legal for one, if the dependences for one were derived from those for all. They
 * were not: the replacement is a guess that is nearly always right, and the checker is there for the rest. */
#include "sched/sched.h"
#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>

#define SMALL 32 /* constants up to here are left alone, and values so near to each other are one */

static void add_value(struct tsr_constants *constants, long value)
{
  int at = 0;
  if (value <= SMALL)
    return;
  for (int i = 0; i < constants->n; i++)
    if (labs(constants->value[i] - value) <= SMALL)
      return;
  if (constants->n == TSR_MAX_CONSTANTS)
    return;
  while (at < constants->n && constants->value[at] < value)
    at++;
  for (int i = constants->n; i > at; i--)
    constants->value[i] = constants->value[i - 1];
  constants->value[at] = value;
  constants->n++;
}

static isl_stat find_in_constraint(isl_constraint *constraint, void *user)
{
  isl_val *value = isl_constraint_get_constant_val(constraint);
  isl_stat ok = isl_val_is_int(value) < 0 ? isl_stat_error : isl_stat_ok;
  add_value(user, labs(isl_val_get_num_si(value)));
  isl_val_free(value);
  isl_constraint_free(constraint);
  return ok;
}

static isl_stat find_in_basic_set(isl_basic_set *bset, void *user)
{
  isl_stat ok = isl_basic_set_foreach_constraint(bset, find_in_constraint, user);
  isl_basic_set_free(bset);
  return ok;
}

static isl_stat find_in_set(isl_set *set, void *user)
{
  isl_stat ok = isl_set_foreach_basic_set(set, find_in_basic_set, user);
  isl_set_free(set);
  return ok;
}

isl_stat tsr_constants_find(struct tsr_constants *constants, isl_union_set *domain)
{
  *constants = (struct tsr_constants){0};
  return isl_union_set_foreach_set(domain, find_in_set, constants);
}

static void parameter_name(char name[32], int i)
{
  snprintf(name, 32, "tsr_constant_%d", i);
}

/* Add one parameter for each value, where it is not there. */
static isl_space *with_parameters(struct tsr_constants *constants, isl_space *space)
{
  for (int i = 0; i < constants->n; i++) {
    char name[32];
    parameter_name(name, i);
    if (isl_space_find_dim_by_name(space, isl_dim_param, name) < 0)
      space = isl_space_add_param_id(space, isl_id_alloc(isl_space_get_ctx(space), name, NULL));
  }
  return space;
}

/* VALUE = sum of factor[i] * value[i] + rest, with a small rest. */
static bool decompose(struct tsr_constants *constants, long value, int *factor, long *rest)
{
  int n = constants->n;
  long magnitude = labs(value), sign = value < 0 ? -1 : 1;
  for (int i = 0; i < n; i++)
    factor[i] = 0;
  /* One value alone; then, for j < n, with value j added; then with value j - n taken away. */
  for (int j = -1; j < 2 * n; j++)
    for (int i = 0; i < n; i++) {
      long other = j < 0 ? 0 : j < n ? constants->value[j] : -constants->value[j - n];
      long left = magnitude - constants->value[i] - other;
      if (labs(left) > SMALL || j - n == i)
        continue;
      factor[i] += sign;
      if (j >= 0)
        factor[j % n] += j < n ? sign : -sign;
      *rest = sign * left;
      return true;
    }
  return false;
}

struct abstraction {
  struct tsr_constants *constants;
  isl_basic_map *bmap;
  isl_map *map;
  isl_union_map *result;
};

static isl_stat abstract_constraint(isl_constraint *constraint, void *user)
{
  struct abstraction *abstraction = user;
  struct tsr_constants *constants = abstraction->constants;
  int factor[TSR_MAX_CONSTANTS];
  long rest = 0;
  isl_val *value = isl_constraint_get_constant_val(constraint);
  long constant = isl_val_get_num_si(value);
  isl_val_free(value);
  if (labs(constant) > SMALL && decompose(constants, constant, factor, &rest)) {
    isl_space *space = isl_constraint_get_space(constraint);
    for (int i = 0; i < constants->n; i++) {
      char name[32];
      parameter_name(name, i);
      int pos = isl_space_find_dim_by_name(space, isl_dim_param, name);
      if (factor[i] && pos >= 0)
        constraint = isl_constraint_set_coefficient_si(constraint, isl_dim_param, pos, factor[i]);
    }
    isl_space_free(space);
    constraint = isl_constraint_set_constant_si(constraint, rest);
  }
  abstraction->bmap = isl_basic_map_add_constraint(abstraction->bmap, constraint);
  return isl_stat_ok;
}

/* Existentially quantified variables have no names to carry over: such a part stays as it is. */
static isl_stat abstract_basic_map(isl_basic_map *bmap, void *user)
{
  struct abstraction *abstraction = user;
  isl_stat ok = isl_stat_ok;
  if (isl_basic_map_dim(bmap, isl_dim_div) == 0) {
    abstraction->bmap = isl_basic_map_universe(isl_basic_map_get_space(bmap));
    ok = isl_basic_map_foreach_constraint(bmap, abstract_constraint, abstraction);
    isl_basic_map_free(bmap);
    bmap = abstraction->bmap;
  }
  abstraction->map = isl_map_union(abstraction->map, isl_map_from_basic_map(bmap));
  return ok;
}

static isl_stat abstract_map(isl_map *map, void *user)
{
  struct abstraction *abstraction = user;
  isl_space *space = with_parameters(abstraction->constants, isl_map_get_space(map));
  map = isl_map_align_params(map, isl_space_copy(space));
  abstraction->map = isl_map_empty(isl_map_get_space(map));
  isl_space_free(space);
  isl_stat ok = isl_map_foreach_basic_map(map, abstract_basic_map, abstraction);
  isl_map_free(map);
  abstraction->result = isl_union_map_union(abstraction->result, isl_union_map_from_map(abstraction->map));
  return ok;
}

isl_union_map *tsr_constants_abstract_map(struct tsr_constants *constants, isl_union_map *map)
{
  if (constants->n == 0)
    return map;
  struct abstraction abstraction = {.constants = constants, .result = isl_union_map_empty_ctx(isl_union_map_get_ctx(map))};
  isl_stat ok = isl_union_map_foreach_map(map, abstract_map, &abstraction);
  isl_union_map_free(map);
  return ok < 0 ? isl_union_map_free(abstraction.result) : isl_union_map_coalesce(abstraction.result);
}

isl_union_set *tsr_constants_abstract_set(struct tsr_constants *constants, isl_union_set *set)
{
  return isl_union_map_domain(tsr_constants_abstract_map(constants, isl_union_set_identity(set)));
}

/* In the order of the values, which differ by more than a little. */
isl_set *tsr_constants_context(struct tsr_constants *constants, isl_set *context)
{
  isl_space *space = isl_space_params_alloc(isl_set_get_ctx(context), 0);
  space = with_parameters(constants, space);
  isl_set *set = isl_set_universe(isl_space_copy(space));
  for (int i = 0; i < constants->n; i++) {
    isl_constraint *bound = isl_constraint_alloc_inequality(isl_local_space_from_space(isl_space_copy(space)));
    bound = isl_constraint_set_coefficient_si(bound, isl_dim_param, i, 1);
    if (i > 0)
      bound = isl_constraint_set_coefficient_si(bound, isl_dim_param, i - 1, -1);
    set = isl_set_add_constraint(set, isl_constraint_set_constant_si(bound, -SMALL));
  }
  isl_space_free(space);
  return isl_set_intersect_params(context, set);
}

/* { parameters : each is its value } */
static isl_set *values(struct tsr_constants *constants, isl_ctx *ctx)
{
  isl_set *set = isl_set_universe(with_parameters(constants, isl_space_params_alloc(ctx, 0)));
  for (int i = 0; i < constants->n; i++)
    set = isl_set_fix_si(set, isl_dim_param, i, constants->value[i]);
  return set;
}

static isl_stat drop_parameters(isl_pw_aff *member, void *user)
{
  isl_union_pw_aff **result = user;
  *result = isl_union_pw_aff_add_pw_aff(*result, isl_pw_aff_drop_unused_params(member));
  return isl_stat_ok;
}

/* PARTIAL with the values in place of their parameters. */
static isl_multi_union_pw_aff *concretise_partial(isl_multi_union_pw_aff *partial, isl_set *values)
{
  isl_ctx *ctx = isl_multi_union_pw_aff_get_ctx(partial);
  isl_size n = isl_multi_union_pw_aff_size(partial);
  isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(ctx, n < 0 ? 0 : n);
  for (int i = 0; i < n; i++) {
    isl_union_pw_aff *member = isl_union_pw_aff_gist_params(isl_multi_union_pw_aff_get_at(partial, i), isl_set_copy(values));
    isl_union_pw_aff *result = isl_union_pw_aff_empty_ctx(ctx);
    if (isl_union_pw_aff_foreach_pw_aff(member, drop_parameters, &result) < 0)
      result = isl_union_pw_aff_free(result);
    isl_union_pw_aff_free(member);
    list = isl_union_pw_aff_list_add(list, result);
  }
  isl_multi_union_pw_aff_free(partial);
  isl_space *space = isl_space_set_from_params(isl_space_params_alloc(ctx, 0));
  return isl_multi_union_pw_aff_from_union_pw_aff_list(isl_space_add_dims(space, isl_dim_set, n < 0 ? 0 : n), list);
}

static isl_stat add_universe(isl_set *set, void *user)
{
  isl_union_set **result = user;
  isl_space *space = isl_set_get_space(set);
  space = isl_space_drop_dims(space, isl_dim_param, 0, isl_space_dim(space, isl_dim_param));
  *result = isl_union_set_union(*result, isl_union_set_from_set(isl_set_universe(space)));
  isl_set_free(set);
  return isl_stat_ok;
}

static isl_schedule_node *rebuild(isl_schedule_node *to, isl_schedule_node *from, isl_set *values);

/* A sequence or set: the scheduler's filters tell statements apart and nothing else. */
static isl_schedule_node *rebuild_children(isl_schedule_node *to, isl_schedule_node *from, isl_set *values)
{
  isl_size n = isl_schedule_node_n_children(from);
  isl_ctx *ctx = isl_schedule_node_get_ctx(from);
  isl_union_set_list *filters = isl_union_set_list_alloc(ctx, n < 0 ? 0 : n);
  for (int i = 0; i < n; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(from, i);
    isl_union_set *filter = isl_schedule_node_filter_get_filter(child), *result = isl_union_set_empty_ctx(ctx);
    if (isl_union_set_foreach_set(filter, add_universe, &result) < 0)
      result = isl_union_set_free(result);
    isl_union_set_free(filter);
    isl_schedule_node_free(child);
    filters = isl_union_set_list_add(filters, result);
  }
  bool sequence = isl_schedule_node_get_type(from) == isl_schedule_node_sequence;
  to = sequence ? isl_schedule_node_insert_sequence(to, filters) : isl_schedule_node_insert_set(to, filters);
  for (int i = 0; i < n; i++) {
    isl_schedule_node *child = isl_schedule_node_child(isl_schedule_node_get_child(from, i), 0);
    to = isl_schedule_node_child(isl_schedule_node_child(to, i), 0);
    to = isl_schedule_node_parent(isl_schedule_node_parent(rebuild(to, child, values)));
    isl_schedule_node_free(child);
  }
  return to;
}

static isl_schedule_node *rebuild_band(isl_schedule_node *to, isl_schedule_node *from, isl_set *values)
{
  isl_multi_union_pw_aff *partial = concretise_partial(isl_schedule_node_band_get_partial_schedule(from), values);
  isl_size n = isl_schedule_node_band_n_member(from);
  to = isl_schedule_node_insert_partial_schedule(to, partial);
  to = isl_schedule_node_band_set_permutable(to, isl_schedule_node_band_get_permutable(from) == isl_bool_true);
  for (int i = 0; i < n; i++) {
    bool coincident = isl_schedule_node_band_member_get_coincident(from, i) == isl_bool_true;
    to = isl_schedule_node_band_member_set_coincident(to, i, coincident);
  }
  isl_schedule_node *child = isl_schedule_node_get_child(from, 0);
  to = isl_schedule_node_parent(rebuild(isl_schedule_node_child(to, 0), child, values));
  isl_schedule_node_free(child);
  return to;
}

static isl_schedule_node *rebuild_mark(isl_schedule_node *to, isl_schedule_node *from, isl_set *values)
{
  isl_schedule_node *child = isl_schedule_node_get_child(from, 0);
  to = rebuild(to, child, values);
  isl_schedule_node_free(child);
  return isl_schedule_node_insert_mark(to, isl_schedule_node_mark_get_id(from));
}

/* Put a copy of the tree at FROM, a scheduler's: bands, marks, sequences and sets, in place of the leaf TO. */
static isl_schedule_node *rebuild(isl_schedule_node *to, isl_schedule_node *from, isl_set *values)
{
  switch (isl_schedule_node_get_type(from)) {
  case isl_schedule_node_leaf:
    return to;
  case isl_schedule_node_band:
    return rebuild_band(to, from, values);
  case isl_schedule_node_sequence:
  case isl_schedule_node_set:
    return rebuild_children(to, from, values);
  case isl_schedule_node_mark:
    return rebuild_mark(to, from, values);
  default:
    return isl_schedule_node_free(to);
  }
}

isl_schedule *tsr_constants_concretise(struct tsr_constants *constants, isl_schedule *schedule, isl_union_set *domain)
{
  if (constants->n == 0 || !schedule) {
    isl_union_set_free(domain);
    return schedule;
  }
  isl_set *fixed = values(constants, isl_schedule_get_ctx(schedule));
  isl_schedule_node *from = isl_schedule_node_child(isl_schedule_get_root(schedule), 0);
  isl_schedule *empty = isl_schedule_from_domain(domain);
  isl_schedule_node *to = isl_schedule_node_child(isl_schedule_get_root(empty), 0);
  isl_schedule_free(empty);
  isl_schedule_free(schedule);
  to = rebuild(to, from, fixed);
  schedule = isl_schedule_node_get_schedule(to);
  isl_schedule_node_free(to);
  isl_schedule_node_free(from);
  isl_set_free(fixed);
  return schedule;
}
