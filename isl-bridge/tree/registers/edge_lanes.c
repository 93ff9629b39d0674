/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* May several instances of a statement, each a fixed step from the one before, run at once? */
#include "tree/registers/registers.h"
#include <isl/constraint.h>
#include <isl/local_space.h>
#include <isl/space.h>

/* Does each access of STMT stay, or go on by a few elements, where the instance moves by STEP, WRITE go on, while a guard
 * stays? */
static bool all_move(struct tsr_scop *scop, struct tsr_stmt *stmt, struct tsr_access *write, const long *step)
{
  for (int i = 0; i < stmt->n_access; i++) {
    struct tsr_access *access = &stmt->access[i];
    long elements;
    if (!tsr_array_move(&scop->arrays[access->array], access->relation, step, &elements) || elements < 0 ||
        elements > TSR_MOST_PITCH || (elements == 0 && access == write) || (elements != 0 && access->guard))
      return false;
  }
  return true;
}

/* { S[x] : x = e STEP, |e| < LANES } for the domain of STMT */
static isl_set *lane_moves(struct tsr_stmt *stmt, const long *step, int lanes)
{
  isl_size n = isl_set_dim(stmt->domain, isl_dim_set);
  isl_set *all = isl_set_add_dims(isl_set_universe(isl_set_get_space(stmt->domain)), isl_dim_set, 1);
  isl_local_space *local = isl_local_space_from_space(isl_set_get_space(all));
  all = isl_set_upper_bound_si(isl_set_lower_bound_si(all, isl_dim_set, n, 1 - lanes), isl_dim_set, n, lanes - 1);
  for (int i = 0; i < n; i++) {
    isl_constraint *equal = isl_constraint_alloc_equality(isl_local_space_copy(local));
    equal = isl_constraint_set_coefficient_si(equal, isl_dim_set, i, 1);
    equal = isl_constraint_set_coefficient_si(equal, isl_dim_set, n, (int)-step[i]);
    all = isl_set_add_constraint(all, equal);
  }
  isl_local_space_free(local);
  all = isl_set_project_out(all, isl_dim_set, n, 1);
  return isl_set_set_tuple_id(all, isl_set_get_tuple_id(stmt->domain));
}

/* Does what WRITE touches in DOMAIN, of one statement, differ from what OTHER does in instances MOVES away? */
static bool lanes_keep_away(struct tsr_access *write, struct tsr_access *other, isl_set *domain, isl_set *moves)
{
  if (other->array != write->array)
    return true;
  isl_map *from = isl_map_intersect_domain(isl_map_copy(write->relation), isl_set_copy(domain));
  isl_map *to = isl_map_intersect_domain(isl_map_copy(other->relation), isl_set_copy(domain));
  isl_set *deltas = isl_map_deltas(isl_map_apply_range(from, isl_map_reverse(to)));
  isl_set *met = isl_set_intersect(deltas, isl_set_copy(moves));
  bool none = isl_set_is_empty(met) == isl_bool_true;
  isl_set_free(met);
  return none;
}

const char *tsr_edge_conflict(struct tsr_scop *scop, const struct tsr_edge_stmt *edge)
{
  int index = tsr_scop_find_stmt(scop, edge->stmt);
  struct tsr_stmt *stmt = index < 0 ? NULL : &scop->stmts[index];
  int at = stmt && stmt->vector_bytes ? tsr_stmt_only_write(stmt) : -1;
  struct tsr_access *write = at < 0 ? NULL : &stmt->access[at];
  if (!write || edge->n_dim != isl_set_dim(stmt->domain, isl_dim_set) || !all_move(scop, stmt, write, edge->step))
    return "an edge of a statement that can't be a vector";
  isl_set *domain = isl_set_intersect_params(isl_set_copy(stmt->domain), tsr_scop_common(scop));
  isl_set *moves = lane_moves(stmt, edge->step, edge->lanes);
  const char *why = NULL;
  for (int i = 0; i < stmt->n_access && !why; i++) {
    struct tsr_access *other = &stmt->access[i];
    bool same = other->array == write->array && isl_map_plain_is_equal(other->relation, write->relation) == isl_bool_true;
    if (!same && !lanes_keep_away(write, other, domain, moves))
      why = "an edge in which another access meets the element that is written";
  }
  isl_set_free(moves);
  isl_set_free(domain);
  return why;
}
