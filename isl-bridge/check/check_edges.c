/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* May instances of a statement, each a fixed step from the one before, run at once as a vector? With v the step, x and x + v
 * instances, W its only write, and elements behind each other as the array's dimensions tell, as far as their sizes are
 * constants:
 *
 *   next      W^-1 . { x -> x + v } . W    of each element: one so many elements on, 1 to TSR_MOST_PITCH, for all x
 *   moves     R^-1 . { x -> x + v } . R    of another access: the same, or the same element; of a guard: that alone
 *   apart     { S[x] -> S[x + e v] : |e| < lanes } : W at x and R at x + e v don't meet, unless R = W */
#include "check/promises.h"
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/local_space.h>
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

/* Every write of STMT is this one, which happens; NULL: there is none, or others. */
static const struct tsr_access *sole_write(const struct tsr_stmt *stmt)
{
  const struct tsr_access *write = NULL;
  int n = 0, guards = 0;
  for (int i = 0; i < stmt->n_access; i++) {
    guards += stmt->access[i].guard;
    if (stmt->access[i].kind != TSR_READ) {
      write = &stmt->access[i];
      n++;
    }
  }
  return n == 1 && (write->kind == TSR_MUST_WRITE || guards > 0) ? write : NULL;
}

/* { S[x] -> S[x + e v] : 1 <= e < LANES } */
static isl_map *steps_of(const struct tsr_edge_stmt *edge, __isl_take isl_space *space)
{
  isl_size n = isl_space_dim(space, isl_dim_set);
  isl_map *map = isl_map_universe(isl_space_map_from_set(isl_space_copy(space)));
  map = isl_map_add_dims(isl_map_reset_tuple_id(map, isl_dim_in), isl_dim_in, 1);
  map = isl_map_upper_bound_si(isl_map_lower_bound_si(map, isl_dim_in, n, 1), isl_dim_in, n, edge->lanes - 1);
  isl_local_space *local = isl_local_space_from_space(isl_map_get_space(map));
  for (int i = 0; i < n; i++) {
    isl_constraint *move = isl_constraint_alloc_equality(isl_local_space_copy(local));
    move = isl_constraint_set_coefficient_si(move, isl_dim_out, i, 1);
    move = isl_constraint_set_coefficient_si(move, isl_dim_in, i, -1);
    move = isl_constraint_set_coefficient_si(move, isl_dim_in, n, (int)-edge->step[i]);
    map = isl_map_add_constraint(map, move);
  }
  isl_local_space_free(local);
  map = isl_map_set_tuple_id(isl_map_project_out(map, isl_dim_in, n, 1), isl_dim_in,
                             isl_space_get_tuple_id(space, isl_dim_set));
  isl_space_free(space);
  return map;
}

/* ACCESS, of instances in DOMAIN. */
static isl_map *relation_in(const struct tsr_access *access, isl_set *domain)
{
  return isl_map_intersect_domain(isl_map_copy(access->relation), isl_set_copy(domain));
}

/* Rows of more elements than this have the next row further away than lanes are. */
#define LONGEST_ROW 64

/* How many elements of ARRAY are from one index of dimension D to the next, if all dimensions inside have few, a constant?
 * 0: they don't. */
static int elements_in(const struct tsr_array *array, isl_size d)
{
  int elements = 1;
  for (isl_size i = isl_set_dim(array->extent, isl_dim_set) - 1; i > d && elements > 0; i--) {
    isl_val *last = isl_set_dim_max_val(isl_set_copy(array->extent), (int)i);
    bool few = isl_val_is_int(last) == isl_bool_true && isl_val_cmp_si(last, LONGEST_ROW / elements) < 0;
    elements *= few ? (int)isl_val_get_num_si(last) + 1 : 0;
    isl_val_free(last);
  }
  return elements;
}

/* { [d] : d is AHEAD elements of ARRAY on }, of the space of DELTAS */
static isl_set *moved_by(const struct tsr_array *array, isl_set *deltas, int ahead)
{
  isl_set *moved = isl_set_universe(isl_set_get_space(deltas));
  isl_local_space *local = isl_local_space_from_space(isl_set_get_space(deltas));
  isl_constraint *sum = isl_constraint_set_constant_si(isl_constraint_alloc_equality(isl_local_space_copy(local)), -ahead);
  for (isl_size i = 0; i < isl_set_dim(deltas, isl_dim_set); i++) {
    int elements = elements_in(array, i);
    sum = isl_constraint_set_coefficient_si(sum, isl_dim_set, (int)i, elements);
    if (elements == 0)
      moved = isl_set_fix_si(moved, isl_dim_set, (unsigned)i, 0);
  }
  isl_local_space_free(local);
  return isl_set_add_constraint(moved, sum);
}

/* { element of ACCESS, of an instance in DOMAIN, at the end of STEP minus that at its begin } */
static isl_set *deltas_along(const struct tsr_access *access, isl_set *domain, isl_map *step)
{
  isl_map *relation = relation_in(access, domain);
  isl_map *moves = isl_map_apply_range(isl_map_reverse(isl_map_copy(relation)), isl_map_copy(step));
  return isl_map_deltas(isl_map_apply_range(moves, relation));
}

/* Does ACCESS, of SCOP, go on by the same number of elements, from LEAST to MOST, whenever the instance, in DOMAIN,
 * moves along STEP? */
static isl_bool moves_on(struct tsr_scop *scop, const struct tsr_access *access, isl_set *domain, isl_map *step, int least,
                         int most)
{
  isl_set *deltas = deltas_along(access, domain, step);
  isl_bool good = isl_bool_false;
  for (int ahead = least; ahead <= most && good == isl_bool_false; ahead++) {
    isl_set *wanted = moved_by(&scop->arrays[access->array], deltas, ahead);
    good = isl_set_is_subset(deltas, wanted);
    isl_set_free(wanted);
  }
  isl_set_free(deltas);
  return good;
}

/* Does each access of STMT, of SCOP, but WRITE and those to buffers stay or go on by a few elements, and WRITE go on? A
 * guard stays. */
static isl_bool all_move(struct tsr_scop *scop, const struct tsr_stmt *stmt, const struct tsr_access *write, isl_set *domain,
                         isl_map *step)
{
  isl_bool good = moves_on(scop, write, domain, step, 1, TSR_MOST_PITCH);
  for (int i = 0; i < stmt->n_access && good == isl_bool_true; i++) {
    const struct tsr_access *access = &stmt->access[i];
    if (access == write || scop->arrays[access->array].space != TSR_SPACE_PROGRAM)
      continue;
    good = moves_on(scop, access, domain, step, 0, access->guard ? 0 : TSR_MOST_PITCH);
  }
  return good;
}

/* Is what WRITE touches in one lane, of instances in DOMAIN, out of the way of all other accesses of all lanes? LANES
 * { S[x] -> S[y] } in both directions, and x = y. */
static isl_bool are_apart(const struct tsr_stmt *stmt, const struct tsr_access *write, isl_set *domain, isl_map *lanes)
{
  isl_bool apart = isl_bool_true;
  for (int i = 0; i < stmt->n_access && apart == isl_bool_true; i++) {
    const struct tsr_access *other = &stmt->access[i];
    if (other->array != write->array || isl_map_plain_is_equal(other->relation, write->relation) == isl_bool_true)
      continue;
    isl_map *meet = isl_map_apply_range(relation_in(write, domain), isl_map_reverse(relation_in(other, domain)));
    apart = isl_map_is_disjoint(meet, lanes);
    isl_map_free(meet);
  }
  return apart;
}

const char *tsr_check_edge(struct tsr_scop *scop, const struct tsr_edge_stmt *edge)
{
  int index = tsr_scop_find_stmt(scop, edge->stmt);
  const struct tsr_stmt *stmt = index < 0 ? NULL : &scop->stmts[index];
  const struct tsr_access *write = stmt && stmt->vector_bytes ? sole_write(stmt) : NULL;
  if (!write || edge->lanes < 2 || edge->n_dim != isl_set_dim(stmt->domain, isl_dim_set))
    return "an edge of a statement that can't be a vector";
  isl_set *domain = isl_set_intersect_params(isl_set_copy(stmt->domain), tsr_scop_common(scop));
  struct tsr_edge_stmt one = *edge;
  one.lanes = 2;
  isl_map *step = steps_of(&one, isl_set_get_space(domain)), *ahead = steps_of(edge, isl_set_get_space(domain));
  isl_map *lanes = isl_map_union(isl_map_copy(ahead), isl_map_reverse(isl_map_copy(ahead)));
  lanes = isl_map_union(lanes, isl_map_identity(isl_map_get_space(ahead)));
  const char *wrong = NULL;
  if (all_move(scop, stmt, write, domain, step) != isl_bool_true)
    wrong = "an edge of a statement whose accesses aren't vectors from lane to lane";
  else if (are_apart(stmt, write, domain, lanes) != isl_bool_true)
    wrong = "an edge in which another access meets the element that is written";
  isl_map_free(step);
  isl_map_free(ahead);
  isl_map_free(lanes);
  isl_set_free(domain);
  return wrong;
}
