/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Elements that a statement adds to all along its innermost loop: may they be in a register meanwhile? With v the step of
 * that loop, W the only write, and one element behind the other in the last dimension:
 *
 *   stays   W^-1 . { x -> x + v } . W is the same element
 *   apart   { S[x] -> S[x + t v] : t whole } : W at x and R at x + t v don't meet, for each R of the same array but W's own
 *           element
 *
 *   for k: b[j][i] -= a[j][k] * b[k][i]      k > j: b[k][i] is another element than b[j][i] for all k */
#include "access/access.h"
#include <isl/constraint.h>
#include <isl/local_space.h>
#include <isl/space.h>

/* { S[x] : x = t ALONG } in SPACE, that of a statement. */
static isl_set *moves_along(__isl_take isl_space *space, const long *along)
{
  isl_size n = isl_space_dim(space, isl_dim_set);
  isl_set *all = isl_set_add_dims(isl_set_universe(isl_space_copy(space)), isl_dim_set, 1);
  isl_local_space *local = isl_local_space_from_space(isl_set_get_space(all));
  for (int i = 0; i < n; i++) {
    isl_constraint *equal = isl_constraint_alloc_equality(isl_local_space_copy(local));
    equal = isl_constraint_set_coefficient_si(equal, isl_dim_set, i, 1);
    equal = isl_constraint_set_coefficient_si(equal, isl_dim_set, n, (int)-along[i]);
    all = isl_set_add_constraint(all, equal);
  }
  isl_local_space_free(local);
  all = isl_set_set_tuple_id(isl_set_project_out(all, isl_dim_set, n, 1), isl_space_get_tuple_id(space, isl_dim_set));
  isl_space_free(space);
  return all;
}

bool tsr_accesses_keep_apart(isl_map *a, isl_map *b, isl_set *domain, const long along[TSR_MAX_DIM])
{
  if (isl_set_dim(domain, isl_dim_set) > TSR_MAX_DIM)
    return false;
  isl_map *from = isl_map_intersect_domain(isl_map_copy(a), isl_set_copy(domain));
  isl_map *to = isl_map_intersect_domain(isl_map_copy(b), isl_set_copy(domain));
  isl_set *deltas = isl_map_deltas(isl_map_apply_range(from, isl_map_reverse(to)));
  isl_set *met = isl_set_intersect(deltas, moves_along(isl_set_get_space(domain), along));
  isl_bool none = isl_set_is_empty(met);
  isl_set_free(met);
  return none == isl_bool_true;
}

bool tsr_stmt_holds(struct tsr_scop *scop, const struct tsr_stmt *stmt, const struct tsr_step *along)
{
  const struct tsr_access *write = NULL;
  long elements;
  for (int i = 0; i < stmt->n_access; i++) {
    if (stmt->access[i].kind == TSR_READ)
      continue;
    if (write || stmt->access[i].kind != TSR_MUST_WRITE)
      return false;
    write = &stmt->access[i];
  }
  if (!write || scop->arrays[write->array].kind != TSR_ARRAY_MEMORY || !along->fixed || along->empty ||
      !tsr_access_move(write->relation, along->delta, &elements) || elements != 0)
    return false;
  isl_set *domain = isl_set_intersect_params(isl_set_copy(stmt->domain), tsr_scop_common(scop));
  bool apart = true;
  for (int i = 0; i < stmt->n_access && apart; i++) {
    const struct tsr_access *other = &stmt->access[i];
    if (other->array == write->array && isl_map_plain_is_equal(other->relation, write->relation) != isl_bool_true)
      apart = tsr_accesses_keep_apart(write->relation, other->relation, domain, along->delta);
  }
  isl_set_free(domain);
  return apart;
}
