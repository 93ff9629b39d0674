/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* May threads have copies of an array in memory? Iteration t of P, all loops around, works on one that holds nothing at
 * first, but the last one, which works on the array itself:
 *
 *   given   { R -> A[e] : a must write of e runs before R in R's own iteration }: all that is read is given
 *   last    { [P] -> [t] : t is the greatest of P }
 *   left    { [P] -> A[e] : an instance of P writes e }: all of that is written, for sure, in the last iteration
 *
 * The thread that has the last value of the loop's counter must be the one with that iteration. Loops are made by rational
 * elimination of what is inside of them, from { [P, t] } if that is a polyhedron; so the values of the counter are all t of
 * it where what eliminating S from { [S, P, t] } leaves is no more than that. */
#include "check/promises.h"
#include <isl/map.h>
#include <isl/set.h>

/* Does access K of STMT read only what an access before it in the same instance writes? */
static isl_bool is_fed_within(const struct tsr_stmt *stmt, int k)
{
  isl_bool fed = isl_bool_false;
  for (int j = 0; j < k && fed == isl_bool_false; j++)
    if (stmt->access[j].kind == TSR_MUST_WRITE && stmt->access[j].array == stmt->access[k].array)
      fed = isl_map_is_subset(stmt->access[k].relation, stmt->access[j].relation);
  return fed;
}

/* { R -> A[e] } of the reads below the band that no write of their own instance feeds. */
static isl_union_map *open_reads(struct tsr_iterations *it, int array)
{
  isl_union_map *all = isl_union_map_empty_ctx(it->scop->ctx);
  for (int i = 0; i < it->scop->n_stmt; i++)
    for (int k = 0; k < it->scop->stmts[i].n_access; k++) {
      const struct tsr_access *access = &it->scop->stmts[i].access[k];
      if (access->array == array && access->kind == TSR_READ && is_fed_within(&it->scop->stmts[i], k) != isl_bool_true)
        all = isl_union_map_add_map(all, isl_map_copy(access->relation));
    }
  return isl_union_map_intersect_domain(all, isl_union_set_copy(it->domain));
}

/* Is each read given its value in its own iteration? */
static isl_bool are_given(struct tsr_iterations *it, int array)
{
  isl_union_map *reads = open_reads(it, array), *writes = tsr_iterations_accesses(it, array, TSR_MUST_WRITES);
  isl_union_map *pairs =
      isl_union_map_apply_range(isl_union_map_copy(writes), isl_union_map_reverse(isl_union_map_copy(reads)));
  pairs = tsr_pairs_at_once(pairs, isl_multi_union_pw_aff_copy(it->iteration));
  pairs = tsr_tree_order_forward(it->band, pairs, false);
  isl_union_map *given = isl_union_map_apply_range(isl_union_map_reverse(pairs), writes);
  isl_bool all = isl_union_map_is_subset(reads, given);
  isl_union_map_free(given);
  isl_union_map_free(reads);
  return all;
}

/* What is left of MAP { S -> [P, t] } when S is eliminated as if it were rational, added to what USER points to. */
static isl_stat add_shadow(isl_map *map, void *user)
{
  isl_set **shadow = user;
  isl_size n = isl_map_dim(map, isl_dim_in);
  isl_set *both = isl_set_eliminate(isl_set_flatten(isl_map_wrap(map)), isl_dim_set, 0, n);
  *shadow = isl_set_union(*shadow, isl_set_project_out(both, isl_dim_set, 0, n));
  return isl_stat_non_null(*shadow);
}

/* Is SET all integer points of one polyhedron? */
static isl_bool is_polyhedron(isl_set *set)
{
  if (isl_set_n_basic_set(set) != 1)
    return isl_bool_false;
  isl_set *without = isl_set_remove_divs(isl_set_copy(set));
  isl_bool same = isl_set_is_subset(without, set);
  isl_set_free(without);
  return same;
}

/* Are the loop's counters in P those of ITERATIONS { [P, t] }? */
static isl_bool are_counted(struct tsr_iterations *it, isl_set *iterations)
{
  if (is_polyhedron(iterations) != isl_bool_true)
    return isl_bool_false;
  isl_set *shadow = isl_set_empty(isl_set_get_space(iterations));
  isl_stat ok = isl_union_map_foreach_map(it->time, add_shadow, &shadow);
  isl_bool same = ok < 0 ? isl_bool_error : isl_set_is_subset(shadow, iterations);
  isl_set_free(shadow);
  return same;
}

/* { [P] -> [t] : [P, t] in ITERATIONS } */
static isl_map *counters(struct tsr_iterations *it, __isl_take isl_set *iterations)
{
  isl_map *map = isl_map_from_range(iterations);
  return isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, (unsigned)it->n_around);
}

/* { [P, t] -> A[e] } of ACCESSES, at the times LAST { [P] -> [t] } or, if that is NULL, at all; as { [P] -> A[e] } */
static isl_map *by_loop(struct tsr_iterations *it, __isl_take isl_union_map *accesses, __isl_take isl_map *last)
{
  isl_map *map = isl_map_from_union_map(isl_union_map_apply_domain(accesses, isl_union_map_copy(it->time)));
  if (last)
    map = isl_map_intersect_domain(map, isl_set_flatten(isl_map_wrap(last)));
  return isl_map_project_out(map, isl_dim_in, (unsigned)it->n_around, 1);
}

/* Does the last iteration write, for sure, all that any of them writes? */
static isl_bool is_left_by_last(struct tsr_iterations *it, int array)
{
  isl_union_map *writes = tsr_iterations_accesses(it, array, TSR_WRITES),
                *must = tsr_iterations_accesses(it, array, TSR_MUST_WRITES);
  isl_union_set *times = isl_union_map_range(isl_union_map_copy(it->time));
  isl_bool good = isl_bool_not(isl_union_map_is_empty(must));
  if (good == isl_bool_true)
    good = isl_bool_ok(isl_union_set_n_set(times) == 1);
  if (good != isl_bool_true) {
    isl_union_map_free(writes);
    isl_union_map_free(must);
    isl_union_set_free(times);
    return good;
  }
  isl_set *iterations = isl_set_coalesce(isl_set_from_union_set(times));
  good = are_counted(it, iterations);
  isl_map *last = isl_map_lexmax(counters(it, iterations));
  isl_map *written = by_loop(it, writes, NULL), *left = by_loop(it, must, last);
  if (good == isl_bool_true)
    good = isl_map_is_subset(written, left);
  isl_map_free(written);
  isl_map_free(left);
  return good;
}

isl_bool tsr_iterations_keep_array(struct tsr_iterations *it, int array)
{
  const struct tsr_array *a = &it->scop->arrays[array];
  if (a->kind != TSR_ARRAY_MEMORY || a->n_dim < 1)
    return isl_bool_false;
  isl_bool keep = is_left_by_last(it, array);
  return keep == isl_bool_true ? are_given(it, array) : keep;
}
