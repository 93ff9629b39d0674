/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the value of a SCALAR comes from, if that is plain to see in the original schedule:
 *
 *   for i                     W: x = a[i]   writes in each iteration in which R runs,
 *     W                       V            does not write x,
 *     V                       R: b[i] = x  reads what W wrote in the same iteration.
 *     R
 *
 * Most scalars of a loop are like that. What is found here neither dataflow analysis nor a test for privacy need compute. */
#include "deps/deps.h"
#include <stdlib.h>

/* Which access of STMT is its only write to ARRAY, a must write in all instances? -1: none. *WRITES: does it write at all?
 */
static int only_write(const struct tsr_stmt *stmt, int array, bool *writes)
{
  int found = -1, n = 0;
  for (int k = 0; k < stmt->n_access; k++)
    if (stmt->access[k].array == array && stmt->access[k].kind != TSR_READ) {
      n++;
      if (stmt->access[k].kind == TSR_MUST_WRITE && isl_map_plain_is_universe(stmt->access[k].relation) == isl_bool_true)
        found = k;
    }
  *writes = n > 0;
  return n == 1 ? found : -1;
}

/* Does statement W run wherever statement R does? */
static bool runs_with(const struct tsr_scop *scop, int w, int r)
{
  isl_set *writer = isl_set_reset_tuple_id(isl_set_copy(scop->stmts[w].domain));
  isl_set *reader = isl_set_reset_tuple_id(isl_set_copy(scop->stmts[r].domain));
  isl_bool with = isl_set_plain_is_equal(writer, reader);
  if (with == isl_bool_false)
    with = isl_set_is_subset(reader, writer);
  isl_set_free(writer);
  isl_set_free(reader);
  return with == isl_bool_true;
}

/* The last statement in front of R that writes ARRAY, if it does so in R's iterations: else -1. */
static int find_writer(struct tsr_scop *scop, const struct tsr_positions *positions, int r, int array, int *write)
{
  int last = -1;
  for (int i = 0; i < scop->n_stmt; i++) {
    bool writes;
    int k = only_write(&scop->stmts[i], array, &writes);
    int leaf = tsr_positions_leaf(positions, i);
    if (writes && leaf < tsr_positions_leaf(positions, r) && (last < 0 || leaf > tsr_positions_leaf(positions, last))) {
      last = i;
      *write = k;
    }
  }
  return last >= 0 && *write >= 0 && tsr_positions_in_same_loops(positions, last, r) && runs_with(scop, last, r) ? last : -1;
}

struct tsr_source *tsr_scop_sources(struct tsr_scop *scop, const struct tsr_positions *positions)
{
  int n = 0;
  for (int i = 0; i < scop->n_stmt; i++)
    n += scop->stmts[i].n_access;
  struct tsr_source *sources = calloc(n + 1, sizeof(*sources));
  for (int i = 0, at = 0; i < scop->n_stmt && sources; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++, at++) {
      const struct tsr_access *access = &scop->stmts[i].access[k];
      sources[at] = (struct tsr_source){-1, -1};
      if (tsr_positions_leaf(positions, i) && access->kind == TSR_READ &&
          scop->arrays[access->array].kind == TSR_ARRAY_SCALAR &&
          isl_map_plain_is_universe(access->relation) == isl_bool_true)
        sources[at].stmt = find_writer(scop, positions, i, access->array, &sources[at].access);
    }
  return sources;
}
