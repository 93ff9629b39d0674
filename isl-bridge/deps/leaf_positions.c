/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a statement sits in a schedule as plain as the original ones are:
 *
 *   for i                                 leaf   loops        S runs before T in the same iteration of i, after it if
 *     for j                          S    1      i, j         its i is greater; whatever j is
 *       S                            T    2      i
 *     T
 *
 * What order two instances have is a comparison of iterators then, and needs no schedule relation. */
#include "deps/deps.h"
#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>

/* A statement's place: the iterator that each loop around runs through, and the loops themselves. */
struct position {
  int leaf;    /* number of its leaf, from 1; 0: none, or not as simple as that */
  int n;       /* loops around */
  int *member; /* each by its number in the tree */
  int *dim;    /* .. and which iterator of the statement it is */
};

struct tsr_positions {
  struct tsr_scop *scop;
  struct position *of; /* by statement */
  int n_member, n_leaf;
  int now; /* member at hand, from 0; for leaves: the number of it */
  bool odd;
};

/* The iterator that AFF is; -1: it is none. */
static int iterator_of(isl_aff *aff)
{
  isl_size n = isl_aff_dim(aff, isl_dim_in);
  int found = -1;
  for (int i = 0; i < n && found < 0; i++) {
    isl_val *value = isl_aff_get_coefficient_val(aff, isl_dim_in, i);
    if (isl_val_is_one(value) == isl_bool_true)
      found = i;
    isl_val_free(value);
  }
  if (found < 0)
    return -1;
  isl_aff *var = isl_aff_var_on_domain(isl_aff_get_domain_local_space(aff), isl_dim_set, found);
  isl_bool same = isl_aff_plain_is_equal(aff, var);
  isl_aff_free(var);
  return same == isl_bool_true ? found : -1;
}

static isl_stat take_aff(isl_set *domain, isl_aff *aff, void *user)
{
  isl_set_free(domain);
  *(int *)user = iterator_of(aff);
  isl_aff_free(aff);
  return isl_stat_ok;
}

static isl_stat take_time(isl_pw_aff *time, void *user)
{
  struct tsr_positions *positions = user;
  isl_id *id = isl_pw_aff_get_tuple_id(time, isl_dim_in);
  int dim = -1, stmt = id ? tsr_scop_find_stmt(positions->scop, isl_id_get_name(id)) : -1;
  isl_id_free(id);
  isl_stat ok = isl_pw_aff_n_piece(time) == 1 ? isl_pw_aff_foreach_piece(time, take_aff, &dim) : isl_stat_ok;
  isl_pw_aff_free(time);
  if (stmt < 0 || ok < 0)
    return isl_stat_error;
  struct position *position = &positions->of[stmt];
  int *member = realloc(position->member, (position->n + 1) * sizeof(int));
  position->member = member ? member : position->member;
  int *dims = realloc(position->dim, (position->n + 1) * sizeof(int));
  position->dim = dims ? dims : position->dim;
  if (!member || !dims)
    return isl_stat_error;
  member[position->n] = positions->now;
  dims[position->n++] = dim;
  return isl_stat_ok;
}

static isl_stat visit_band(struct tsr_positions *positions, isl_schedule_node *band)
{
  isl_multi_union_pw_aff *times = isl_schedule_node_band_get_partial_schedule(band);
  isl_size n = isl_multi_union_pw_aff_size(times);
  isl_stat ok = n < 0 ? isl_stat_error : isl_stat_ok;
  for (int i = 0; i < n && ok == isl_stat_ok; i++) {
    isl_union_pw_aff *row = isl_multi_union_pw_aff_get_at(times, i);
    positions->now = positions->n_member++;
    ok = isl_union_pw_aff_foreach_pw_aff(row, take_time, positions);
    isl_union_pw_aff_free(row);
  }
  isl_multi_union_pw_aff_free(times);
  return ok;
}

static isl_stat take_leaf(isl_set *domain, void *user)
{
  struct tsr_positions *positions = user;
  int stmt = tsr_scop_find_stmt(positions->scop, isl_set_get_tuple_name(domain));
  isl_set_free(domain);
  if (stmt < 0)
    return isl_stat_error;
  positions->odd |= positions->of[stmt].leaf != 0 || positions->now++ != 0; /* in several leaves, or not alone in one */
  positions->of[stmt].leaf = positions->n_leaf;
  return isl_stat_ok;
}

static isl_stat visit(struct tsr_positions *positions, __isl_take isl_schedule_node *node)
{
  isl_stat ok = isl_stat_ok;
  switch (isl_schedule_node_get_type(node)) {
  case isl_schedule_node_leaf: {
    isl_union_set *domain = isl_schedule_node_get_domain(node);
    positions->n_leaf++;
    positions->now = 0;
    ok = isl_union_set_foreach_set(domain, take_leaf, positions);
    isl_union_set_free(domain);
    break;
  }
  case isl_schedule_node_band:
    ok = visit_band(positions, node);
    break;
  case isl_schedule_node_domain:
  case isl_schedule_node_filter:
  case isl_schedule_node_sequence:
  case isl_schedule_node_mark:
    break;
  default:
    positions->odd = true;
  }
  isl_size n = isl_schedule_node_get_type(node) == isl_schedule_node_leaf ? 0 : isl_schedule_node_n_children(node);
  for (int i = 0; i < n && ok == isl_stat_ok && !positions->odd; i++)
    ok = visit(positions, isl_schedule_node_get_child(node, i));
  isl_schedule_node_free(node);
  return n < 0 ? isl_stat_error : ok;
}

struct tsr_positions *tsr_positions_find(struct tsr_scop *scop)
{
  struct tsr_positions *positions = calloc(1, sizeof(*positions));
  if (!positions)
    return NULL;
  *positions = (struct tsr_positions){.scop = scop, .of = calloc(scop->n_stmt + 1, sizeof(*positions->of))};
  if (!positions->of || visit(positions, isl_schedule_get_root(scop->schedule)) < 0)
    return tsr_positions_free(positions);
  return positions;
}

struct tsr_positions *tsr_positions_free(struct tsr_positions *positions)
{
  for (int i = 0; positions && positions->of && i < positions->scop->n_stmt; i++) {
    free(positions->of[i].member);
    free(positions->of[i].dim);
  }
  if (positions)
    free(positions->of);
  free(positions);
  return NULL;
}

int tsr_positions_leaf(const struct tsr_positions *positions, int stmt)
{
  return positions->odd ? 0 : positions->of[stmt].leaf;
}

static int shared_loops(const struct position *a, const struct position *b)
{
  int n = 0;
  while (n < a->n && n < b->n && a->member[n] == b->member[n]) {
    if (a->dim[n] < 0 || b->dim[n] < 0)
      return -1;
    n++;
  }
  return n;
}

int tsr_positions_shared(const struct tsr_positions *positions, int a, int b)
{
  return shared_loops(&positions->of[a], &positions->of[b]);
}

bool tsr_positions_are_in_order(const struct tsr_positions *positions, int stmt)
{
  const struct position *position = &positions->of[stmt];
  bool order = tsr_positions_leaf(positions, stmt) != 0;
  for (int i = 0; i < position->n && order; i++)
    order = position->dim[i] == i;
  return order;
}

bool tsr_positions_in_same_loops(const struct tsr_positions *positions, int a, int b)
{
  const struct position *x = &positions->of[a], *y = &positions->of[b];
  bool same = !positions->odd && x->n == y->n && shared_loops(x, y) == x->n;
  for (int i = 0; i < x->n && same; i++)
    same = x->dim[i] == y->dim[i];
  return same;
}

/* { S -> T : 0 <= t_B - s_A - LEAST }, or = */
static isl_map *compared(isl_space *space, int a, int b, int least, bool equal)
{
  isl_local_space *local = isl_local_space_from_space(isl_space_copy(space));
  isl_constraint *c = equal ? isl_constraint_alloc_equality(local) : isl_constraint_alloc_inequality(local);
  c = isl_constraint_set_coefficient_si(c, isl_dim_in, a, -1);
  c = isl_constraint_set_coefficient_si(c, isl_dim_out, b, 1);
  return isl_map_from_basic_map(isl_basic_map_from_constraint(isl_constraint_set_constant_si(c, -least)));
}

isl_map *tsr_positions_before(const struct tsr_positions *positions, int s, int t, isl_space *space)
{
  const struct position *a = s < 0 ? NULL : &positions->of[s], *b = t < 0 ? NULL : &positions->of[t];
  int n = !a || !b || positions->odd || !a->leaf || !b->leaf ? -1 : shared_loops(a, b);
  if (n < 0) {
    isl_space_free(space);
    return NULL;
  }
  bool first = a->leaf < b->leaf; /* .. in the same iteration */
  isl_map *rest = isl_map_universe(isl_space_copy(space));
  isl_map *found = !n && first ? isl_map_copy(rest) : isl_map_empty(isl_space_copy(space));
  for (int i = 0; i < n; i++) {
    bool last = i == n - 1;
    isl_map *part = compared(space, a->dim[i], b->dim[i], last && first ? 0 : 1, false);
    found = isl_map_union(found, isl_map_intersect(isl_map_copy(rest), part));
    if (!last)
      rest = isl_map_intersect(rest, compared(space, a->dim[i], b->dim[i], 0, true));
  }
  isl_map_free(rest);
  isl_space_free(space);
  return found;
}
