/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Could scalars live in an element of an array that the program writes anyway?
 *
 *   for i, j: { S0: s = 0;  for k: S1: s += A[i, k] * B[k, j];  S2: C[i, j] = s; }
 *
 * One s for all i and j keeps the loop k inside of both. If s may be C[i, j] itself, nothing but C's own dependences order
 * the instances. HOME says where each statement would find the scalars:
 *
 *   home   { S0[i, j] -> C[i, j]; S1[i, j, k] -> C[i, j]; S2[i, j] -> C[i, j] }
 *
 * The SCoP with home in place of the scalars does the same as the SCoP itself if, in the original order,
 *
 *   1. each read of the scalars gets its value from the same instance as before, and it does get one
 *   2. each read of the array does, too
 *   3. each write of the scalars is followed by a must write of the program's own to the same element, so that
 *      the element is one that the program writes, and the last value in it is the program's
 *
 * Sums over several loops have a scalar a loop, and copies from one to the other:
 *
 *   for k: { T = S;  for y: { U = T;  for x: U += ..;  T = U; }  S = T; }
 *
 * In one element these have nothing to do: then 1. is asked of what computes the values, wherever they have gone through.
 * Nor is 3. asked of what has nothing to do.
 *
 * What may be seen in between is seen by the SCoP alone: nothing in it synchronises.
 *
 * And could a scalar that is loaded from memory outside of a loop be loaded anew in it?
 *
 *   for i: { S0: s = A[i];  for j: S1: B[j, i] = s; }       pairs { S0[i] -> S1[i, j] }     loads { S0[i] -> A[i] }
 *
 * Yes, if what S1 reads in s comes from its pair, and nobody writes the element between the two. */
#include "deps/deps.h"
#include <isl/id.h>

/* { S[i] -> A[k] } with S in the domain; ARRAY says which accesses of kinds KINDS. */
struct choice {
  const bool *web; /* those to these arrays, or if it is NULL */
  int array;       /* those to this one */
};

static isl_union_map *choose(struct tsr_scop *scop, unsigned kinds, struct choice choice)
{
  isl_union_map *all = isl_union_map_empty_ctx(scop->ctx);
  for (int i = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++) {
      struct tsr_access *a = &scop->stmts[i].access[k];
      bool wanted = choice.web ? choice.web[a->array] : a->array == choice.array;
      if (!wanted || !(kinds >> a->kind & 1))
        continue;
      isl_map *map = isl_map_intersect_domain(isl_map_copy(a->relation), isl_set_copy(scop->stmts[i].domain));
      all = isl_union_map_add_map(all, map);
    }
  return isl_union_map_intersect_params(all, tsr_scop_common(scop));
}

/* { W -> R : R may read what W wrote } */
static isl_union_map *flow(struct tsr_scop *scop, isl_union_map *reads, isl_union_map *must, isl_union_map *may)
{
  if (isl_union_map_is_empty(reads) == isl_bool_true) {
    isl_union_map_free(must);
    isl_union_map_free(may);
    return reads;
  }
  struct tsr_positions *positions = tsr_positions_find(scop);
  isl_union_map *pairs = tsr_scop_flow(scop, positions, (struct tsr_flow){.sinks = reads, .must = must, .may = may});
  tsr_positions_free(positions);
  return pairs;
}

/* Most copies, one behind the other, that a value may go through. */
#define MOST_COPIES 16

/* Both for the scalars and for the array: what is read where, before and after. */
struct demotion {
  isl_union_map *reads, *writes;         /* { S -> A } of the scalars, where home is */
  isl_union_map *own_reads, *must, *may; /* { S -> A } of the program's accesses to the array */
  isl_union_map *old_reads, *old_writes; /* { S -> s } of the scalars */
  isl_union_set *copies;                 /* { S } that do nothing but copy one to others; NULL: they count as others */
};

/* WAS { W -> R }, of scalars, with those W that have computed the values: where W is one of COPIES, what that reads. */
static isl_union_map *through_copies(isl_union_map *was, isl_union_set *copies)
{
  isl_union_map *direct = isl_union_map_copy(was);
  isl_bool none = isl_bool_false;
  for (int i = 0; i <= MOST_COPIES && none == isl_bool_false; i++) {
    isl_union_map *copied = isl_union_map_intersect_domain(isl_union_map_copy(was), isl_union_set_copy(copies));
    none = isl_union_map_is_empty(copied);
    copied = isl_union_map_apply_range(isl_union_map_copy(direct), copied);
    was = isl_union_map_union(isl_union_map_subtract_domain(was, isl_union_set_copy(copies)), copied);
  }
  isl_union_map_free(direct);
  return none == isl_bool_true ? isl_union_map_subtract_range(was, isl_union_set_copy(copies)) : isl_union_map_free(was);
}

static isl_bool same_flow(struct tsr_scop *scop, const struct demotion *d)
{
  isl_union_map *none = isl_union_map_empty_ctx(scop->ctx);
  isl_union_map *reads = isl_union_map_copy(d->reads), *writes = isl_union_map_copy(d->writes);
  isl_union_map *must = isl_union_map_copy(d->must);
  isl_union_map *was = flow(scop, isl_union_map_copy(d->old_reads), isl_union_map_copy(d->old_writes), none);
  if (d->copies) {
    was = through_copies(was, d->copies);
    reads = isl_union_map_subtract_domain(reads, isl_union_set_copy(d->copies));
    writes = isl_union_map_subtract_domain(writes, isl_union_set_copy(d->copies));
    must = isl_union_map_subtract_domain(must, isl_union_set_copy(d->copies));
  }
  isl_union_map *all = isl_union_map_union(must, writes);
  isl_union_set *readers = isl_union_map_domain(isl_union_map_copy(reads));
  isl_union_map *is = flow(scop, reads, isl_union_map_copy(all), isl_union_map_copy(d->may));
  isl_bool same = was ? isl_union_map_is_equal(was, is) : isl_bool_false;
  isl_union_set *fed = was ? isl_union_map_range(was) : isl_union_set_empty_ctx(scop->ctx);
  if (same == isl_bool_true)
    same = isl_union_set_is_subset(readers, fed);
  isl_union_set_free(fed);
  isl_union_set_free(readers);
  isl_union_map_free(is);
  if (same != isl_bool_true) {
    isl_union_map_free(all);
    return same;
  }
  /* No instance writes to homes by itself, too: what reads the array reads the same as before unless it reads a new write,
   * in an element that has some. */
  isl_union_set *homes = isl_union_map_range(isl_union_map_copy(d->writes));
  isl_union_map *own_reads = isl_union_map_intersect_range(isl_union_map_copy(d->own_reads), homes);
  is = flow(scop, own_reads, all, isl_union_map_copy(d->may));
  is = isl_union_map_intersect_domain(is, isl_union_map_domain(isl_union_map_copy(d->writes)));
  same = isl_union_map_is_empty(is);
  isl_union_map_free(is);
  return same;
}

/* The instances of the statements flagged in COPIES. */
static isl_union_set *instances_of(struct tsr_scop *scop, const bool *copies)
{
  isl_union_set *all = isl_union_set_empty_ctx(scop->ctx);
  for (int i = 0; i < scop->n_stmt; i++)
    if (copies[i])
      all = isl_union_set_union(all, isl_union_set_from_set(isl_set_copy(scop->stmts[i].domain)));
  return all;
}

/* Is each write of the scalars followed by one of the program's own to the same element? COPIES, which may be NULL, will
 * write nothing. */
static isl_bool is_overwritten(struct tsr_scop *scop, const struct demotion *d, const bool *copies)
{
  isl_union_map *back = isl_union_map_reverse(isl_union_map_copy(d->must));
  isl_union_map *pairs = isl_union_map_apply_range(isl_union_map_copy(d->writes), back);
  isl_schedule_node *root = isl_schedule_get_root(scop->schedule);
  isl_union_set *followed = isl_union_map_domain(tsr_tree_order_forward(root, pairs, false));
  isl_schedule_node_free(root);
  isl_union_set *writers = isl_union_map_domain(isl_union_map_copy(d->writes));
  if (copies)
    writers = isl_union_set_subtract(writers, instances_of(scop, copies));
  isl_bool all = isl_union_set_is_subset(writers, followed);
  isl_union_set_free(writers);
  isl_union_set_free(followed);
  return all;
}

/* May what writes scalars also write, by itself, an element that some instance finds scalars in? Which comes last isn't
 * asked then, nor which of both is read: flow tells instances, not their accesses. */
static isl_bool writes_both(const struct demotion *d)
{
  isl_union_map *own = isl_union_map_union(isl_union_map_copy(d->must), isl_union_map_copy(d->may));
  own = isl_union_map_intersect_domain(own, isl_union_map_domain(isl_union_map_copy(d->writes)));
  isl_union_set *homes = isl_union_set_union(isl_union_map_range(isl_union_map_copy(d->reads)),
                                             isl_union_map_range(isl_union_map_copy(d->writes)));
  isl_union_set *elements = isl_union_map_range(own);
  isl_bool apart = isl_union_set_is_disjoint(elements, homes);
  isl_union_set_free(elements);
  isl_union_set_free(homes);
  return isl_bool_not(apart);
}

/* { W -> R } for reads R of memory */
static isl_union_map *memory_flow(struct tsr_scop *scop, isl_union_map *reads)
{
  isl_union_map *must = tsr_scop_accesses(scop, TSR_MUST_WRITES, TSR_MEMORY);
  isl_union_map *may = tsr_scop_accesses(scop, 1u << TSR_MAY_WRITE, TSR_MEMORY);
  must = isl_union_map_intersect_params(must, tsr_scop_common(scop));
  may = isl_union_map_intersect_params(may, tsr_scop_common(scop));
  return flow(scop, reads, must, may);
}

isl_bool tsr_scop_reads_old(struct tsr_scop *scop, int stmt, int access)
{
  isl_map *map = isl_map_intersect_domain(isl_map_copy(scop->stmts[stmt].access[access].relation),
                                          isl_set_copy(scop->stmts[stmt].domain));
  isl_union_map *reads = isl_union_map_intersect_params(isl_union_map_from_map(map), tsr_scop_common(scop));
  isl_union_map *from = memory_flow(scop, reads);
  isl_bool none = isl_union_map_is_empty(from);
  isl_union_map_free(from);
  return none;
}

isl_union_map *tsr_scop_scalar_flow(struct tsr_scop *scop, int array)
{
  struct choice scalar = {.array = array};
  return flow(scop, choose(scop, TSR_READS, scalar), choose(scop, TSR_MUST_WRITES, scalar),
              isl_union_map_empty_ctx(scop->ctx));
}

isl_bool tsr_scop_can_reload(struct tsr_scop *scop, int array, isl_union_map *pairs, isl_union_map *loads)
{
  struct choice scalar = {.array = array};
  pairs = isl_union_map_intersect_params(isl_union_map_copy(pairs), tsr_scop_common(scop));
  isl_union_set *readers = isl_union_map_range(isl_union_map_copy(pairs));
  isl_union_map *reads = isl_union_map_intersect_domain(choose(scop, TSR_READS, scalar), readers);
  isl_union_map *none = isl_union_map_empty_ctx(scop->ctx);
  isl_union_map *was = flow(scop, reads, choose(scop, TSR_MUST_WRITES, scalar), none);
  isl_bool same = isl_union_map_is_equal(was, pairs);
  isl_union_map_free(was);
  if (same != isl_bool_true) {
    isl_union_map_free(pairs);
    return same;
  }
  loads = isl_union_map_intersect_params(isl_union_map_copy(loads), tsr_scop_common(scop));
  isl_union_map *later =
      isl_union_map_apply_range(isl_union_map_reverse(isl_union_map_copy(pairs)), isl_union_map_copy(loads));
  was = isl_union_map_apply_range(memory_flow(scop, loads), pairs);
  isl_union_map *is = memory_flow(scop, later);
  same = isl_union_map_is_equal(was, is);
  isl_union_map_free(was);
  isl_union_map_free(is);
  return same;
}

/* Is 1. and 2. so: as it is, or else without COPIES? */
static isl_bool same_flow_or_copies(struct tsr_scop *scop, struct demotion *d, const bool *copies)
{
  isl_bool same = same_flow(scop, d);
  if (same != isl_bool_false || !copies)
    return same;
  d->copies = instances_of(scop, copies);
  isl_bool none = isl_union_set_is_empty(d->copies);
  same = none == isl_bool_false ? same_flow(scop, d) : isl_bool_not(none);
  isl_union_set_free(d->copies);
  return same;
}

isl_bool tsr_scop_can_demote(struct tsr_scop *scop, const bool *web, int array, isl_union_map *home, const bool *copies)
{
  struct choice scalars = {.web = web}, own = {.array = array};
  for (int i = 0; i < scop->n_array; i++)
    if (web[i] && (scop->arrays[i].kind != TSR_ARRAY_SCALAR || scop->arrays[i].live_in || scop->arrays[i].live_out))
      return isl_bool_false;
  unsigned may = 1u << TSR_MAY_WRITE;
  isl_union_map *maybe = choose(scop, may, scalars);
  isl_bool ok = isl_union_map_is_empty(maybe);
  isl_union_map_free(maybe);
  struct demotion d = {.own_reads = choose(scop, TSR_READS, own),
                       .must = choose(scop, TSR_MUST_WRITES, own),
                       .may = choose(scop, may, own),
                       .old_reads = choose(scop, TSR_READS, scalars),
                       .old_writes = choose(scop, TSR_MUST_WRITES, scalars)};
  isl_union_set *readers = isl_union_map_domain(isl_union_map_copy(d.old_reads));
  isl_union_set *writers = isl_union_map_domain(isl_union_map_copy(d.old_writes));
  d.reads = isl_union_map_intersect_domain(isl_union_map_copy(home), isl_union_set_copy(readers));
  d.writes = isl_union_map_intersect_domain(isl_union_map_copy(home), isl_union_set_copy(writers));
  isl_union_set *placed = isl_union_map_domain(isl_union_map_copy(home));
  isl_union_set *all = isl_union_set_union(readers, writers);
  if (ok == isl_bool_true)
    ok = isl_union_set_is_subset(all, placed);
  if (ok == isl_bool_true)
    ok = isl_union_map_is_single_valued(home);
  isl_union_set_free(placed);
  isl_union_set_free(all);
  if (ok == isl_bool_true)
    ok = isl_bool_not(writes_both(&d));
  if (ok == isl_bool_true)
    ok = is_overwritten(scop, &d, copies);
  if (ok == isl_bool_true)
    ok = same_flow_or_copies(scop, &d, copies);
  isl_union_map *const parts[] = {d.reads, d.writes, d.own_reads, d.must, d.may, d.old_reads, d.old_writes};
  for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
    isl_union_map_free(parts[i]);
  return ok;
}
