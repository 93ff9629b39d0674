/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where is data when a nest begins? Nobody knows, as a rule, and what is far costs the most: that is what estimate.c
 * assumes. Data whose size is known, and that a cache holds, has been there before, or will be: programs make it, and come
 * back. */
#include "cost/nests.h"
#include "model/thresholds.h"

isl_set *tsr_find_touched(const struct tsr_scop *scop, int array, bool written)
{
  isl_set *all = NULL;
  for (int i = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++) {
      const struct tsr_stmt *stmt = &scop->stmts[i];
      if (stmt->access[k].array != array || (written && stmt->access[k].kind == TSR_READ) ||
          isl_set_plain_is_empty(stmt->domain) != isl_bool_false)
        continue;
      isl_set *own = isl_set_apply(isl_set_copy(stmt->domain), isl_map_copy(stmt->access[k].relation));
      all = all ? isl_set_union(all, own) : own;
    }
  return all ? isl_set_from_basic_set(isl_set_simple_hull(all)) : NULL;
}

/* Bytes that SCOP touches, if no parameter says how many; below 0: one does. */
static double find_bytes(struct tsr_scop *scop)
{
  if (isl_set_dim(scop->context, isl_dim_param) != 0)
    return -1;
  double all = 0;
  for (int i = 0; i < scop->n_array; i++) {
    isl_set *touched = scop->arrays[i].kind == TSR_ARRAY_MEMORY ? tsr_find_touched(scop, i, false) : NULL;
    bool bounded = !touched || isl_set_is_bounded(touched) == isl_bool_true;
    all = bounded && all >= 0 ? all + (touched ? tsr_set_points(scop, touched) * scop->arrays[i].elem_size : 0) : -1;
    isl_set_free(touched);
  }
  return all;
}

/* The smallest cache that holds all data of SCOP HELD_TIMES; TSR_MAX_CACHE: none does, or its size isn't known. */
static int cache_of_data(struct tsr_scop *scop)
{
  if (!scop->kept.sized)
    scop->kept.bytes = find_bytes(scop);
  scop->kept.sized = isl_ctx_last_error(scop->ctx) == isl_error_none;
  for (int c = 0; c < scop->machine.n_cache && c < LEVELS && scop->kept.bytes >= 0; c++)
    if (HELD_TIMES * scop->kept.bytes <= scop->machine.cache[c].size)
      return c;
  return TSR_MAX_CACHE;
}

double tsr_estimate_there(struct tsr_scop *scop, const struct tsr_estimate *estimate)
{
  int cache = cache_of_data(scop);
  double more = estimate->cost - estimate->within[TSR_MAX_CACHE]; /* new pages */
  return cache < TSR_MAX_CACHE ? estimate->within[cache] + (more > 0 ? more : 0) : estimate->cost;
}
