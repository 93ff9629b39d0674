/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Do accesses to one element run in the original order? Nothing here comes from the dataflow analysis (dependences.c): the
 * conflicts are
 *
 *   pairs    { S -> T : S and T touch the same element, at least one writes }      straight from the accesses
 *   before   { S -> T in pairs : S runs before T in the original tree }            by a walk of that tree
 *
 * and a second walk (deps/tree_order.c) carries `before` down the tree to check: what it finds running backward, or in no
 * order at all, is a violation. A SCALAR array may instead keep its values: each read still gets the value of the same write
 * (live ranges may be exchanged but not torn). With relaxed reductions, updates  A[f] = A[f] op e  of one statement, or of
 * several if they are exact, may change places: their conflicts are left out, but only those through the accesses that are
 * marked as the update. Whatever else two instances share keeps them in order. All of this for parameters in context and
 * assumed only.
 */
#include "check/checker.h"
#include <isl/space.h>

/* PAIRS { S -> T } where S runs before T in the original order of SCOP. */
static isl_union_map *original_forward(struct tsr_scop *scop, __isl_take isl_union_map *pairs)
{
  isl_schedule_node *root = isl_schedule_get_root(scop->schedule);
  isl_union_map *before = tsr_tree_order_forward(root, pairs, false);
  isl_schedule_node_free(root);
  return before;
}

isl_union_map *tsr_ordered_pairs(struct tsr_scop *scop, isl_union_set *from, isl_union_set *to)
{
  return original_forward(scop, isl_union_map_from_domain_and_range(isl_union_set_copy(from), isl_union_set_copy(to)));
}

/* ---- accesses ------------------------------------------------------------------------------------------ */

/* { S -> A[k] } for known parameters: those of kind KINDS on array ARRAY, or on all MEMORY arrays if it is -1. */
isl_union_map *tsr_checker_accesses(struct tsr_checker *checker, unsigned kinds, int array)
{
  struct tsr_scop *scop = checker->scop;
  isl_union_map *all = isl_union_map_empty_ctx(scop->ctx);
  for (int i = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++) {
      struct tsr_access *access = &scop->stmts[i].access[k];
      bool wanted = array < 0 ? scop->arrays[access->array].kind == TSR_ARRAY_MEMORY : access->array == array;
      if (!wanted || !(kinds >> access->kind & 1))
        continue;
      isl_map *map = isl_map_intersect_domain(isl_map_copy(access->relation), isl_set_copy(scop->stmts[i].domain));
      all = isl_union_map_add_map(all, map);
    }
  return isl_union_map_intersect_params(all, isl_set_copy(checker->known));
}

/* { S -> T : both touch one element of ARRAY (-1: of any MEMORY array), one of them writes } */
static isl_union_map *conflicts(struct tsr_checker *checker, int array)
{
  isl_union_map *writes = tsr_checker_accesses(checker, TSR_WRITES, array);
  isl_union_map *reads = tsr_checker_accesses(checker, TSR_READS, array);
  isl_union_map *from_read =
      isl_union_map_apply_range(isl_union_map_copy(reads), isl_union_map_reverse(isl_union_map_copy(writes)));
  isl_union_map *all = isl_union_map_union(reads, isl_union_map_copy(writes));
  isl_union_map *from_write = isl_union_map_apply_range(writes, isl_union_map_reverse(all));
  return isl_union_map_coalesce(isl_union_map_union(from_read, from_write));
}

/* Are A and B, accesses of S and T, parts of updates that commute? */
static bool commutes(struct tsr_checker *checker, const struct tsr_stmt *s, const struct tsr_access *a,
                     const struct tsr_stmt *t, const struct tsr_access *b)
{
  return a->array == b->array && checker->scop->arrays[a->array].kind == TSR_ARRAY_MEMORY && a->reduction != TSR_RED_NONE &&
         a->reduction == b->reduction && a->reassoc && b->reassoc &&
         ((a->exact && b->exact) || (s == t && checker->relaxed == TSR_RELAXED));
}

static bool has_update(struct tsr_checker *checker, const struct tsr_stmt *stmt)
{
  for (int k = 0; k < stmt->n_access; k++)
    if (commutes(checker, stmt, &stmt->access[k], stmt, &stmt->access[k]))
      return true;
  return false;
}

/* Those pairs of conflicts(ARRAY) from instances of S to instances of T that some two accesses make which don't commute. */
static isl_union_map *strict_conflicts(struct tsr_checker *checker, struct tsr_stmt *s, struct tsr_stmt *t, int array)
{
  isl_union_map *pairs = isl_union_map_empty_ctx(checker->scop->ctx);
  for (int k = 0; k < s->n_access; k++)
    for (int l = 0; l < t->n_access; l++) {
      struct tsr_access *a = &s->access[k], *b = &t->access[l];
      bool wanted = array < 0 ? checker->scop->arrays[a->array].kind == TSR_ARRAY_MEMORY : a->array == array;
      if (!wanted || a->array != b->array || (a->kind == TSR_READ && b->kind == TSR_READ) || commutes(checker, s, a, t, b))
        continue;
      isl_map *map = isl_map_apply_range(isl_map_copy(a->relation), isl_map_reverse(isl_map_copy(b->relation)));
      map = isl_map_intersect_domain(map, isl_set_copy(s->domain));
      pairs = isl_union_map_add_map(pairs, isl_map_intersect_range(map, isl_set_copy(t->domain)));
    }
  return isl_union_map_intersect_params(pairs, isl_set_copy(checker->known));
}

/* PAIRS of conflicts(ARRAY) without those from S to T that commute. */
static isl_union_map *drop_commuting(struct tsr_checker *checker, isl_union_map *pairs, struct tsr_stmt *s,
                                     struct tsr_stmt *t, int array)
{
  isl_set *all = isl_set_universe(isl_set_get_space(s->domain));
  isl_map *map = isl_map_from_domain_and_range(all, isl_set_universe(isl_set_get_space(t->domain)));
  pairs = isl_union_map_subtract(pairs, isl_union_map_from_map(map));
  return isl_union_map_union(pairs, strict_conflicts(checker, s, t, array));
}

/* Are all accesses to ARRAY made by the instances of the original themselves? */
static bool is_as_before(struct tsr_checker *checker, int array)
{
  for (int i = 0; i < checker->now->n_stmt; i++) {
    struct tsr_stmt *stmt = &checker->now->stmts[i];
    int number = tsr_stmt_original(checker->program, stmt);
    for (int k = 0; k < stmt->n_access; k++) {
      int now = stmt->access[k].array, before = number < 0 ? now : checker->scop->stmts[number].access[k].array;
      if ((now == array || before == array) && (number < 0 || stmt->origin || now != before))
        return false;
    }
  }
  return true;
}

isl_union_map *tsr_without_identity(isl_union_map *pairs)
{
  isl_union_set *domain = isl_union_map_domain(isl_union_map_copy(pairs));
  return isl_union_map_subtract(pairs, isl_union_set_identity(domain));
}

/* { E[x] -> F[y] } of PAIRS { S[i] -> T[j] }: E makes access K of statement number S, F access L of T. */
static isl_union_map *between_events(struct tsr_checker *checker, __isl_take isl_union_map *pairs, int s, int k, int t,
                                     int l)
{
  pairs = isl_union_map_apply_domain(pairs, isl_union_map_copy(*tsr_events_at(checker->events, s, k)));
  return isl_union_map_apply_range(pairs, isl_union_map_copy(*tsr_events_at(checker->events, t, l)));
}

/* The pairs of instances that now make accesses K and L of instances of statements number S and T, in the original order, if
 * these conflict. Within an instance K comes first if it is in front of L. */
static isl_union_map *access_conflicts(struct tsr_checker *checker, int s, int k, int t, int l)
{
  struct tsr_scop *scop = checker->scop;
  isl_map *a = isl_map_copy(scop->stmts[s].access[k].relation), *b = isl_map_copy(scop->stmts[t].access[l].relation);
  isl_map *map = isl_map_intersect_domain(isl_map_apply_range(a, isl_map_reverse(b)), isl_set_copy(scop->stmts[s].domain));
  map = isl_map_intersect_range(map, isl_set_copy(scop->stmts[t].domain));
  map = isl_map_intersect_params(map, isl_set_copy(checker->known));
  isl_union_map *within = NULL;
  if (s == t && k < l) {
    isl_map *same = isl_map_identity(isl_map_get_space(map));
    within = isl_union_map_from_map(isl_map_intersect(isl_map_copy(map), same));
    within = tsr_without_identity(between_events(checker, within, s, k, t, l));
  }
  isl_union_map *pairs = original_forward(checker->scop, isl_union_map_from_map(map));
  pairs = between_events(checker, pairs, s, k, t, l);
  return within ? isl_union_map_union(pairs, within) : pairs;
}

/* The pairs of conflicting accesses to ARRAY in the original order, each between the instances that make them now. */
static isl_union_map *event_conflicts(struct tsr_checker *checker, int array)
{
  struct tsr_scop *scop = checker->scop;
  isl_union_map *all = isl_union_map_empty_ctx(scop->ctx);
  for (int i = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++)
      for (int j = 0; j < scop->n_stmt && scop->stmts[i].access[k].array == array; j++)
        for (int l = 0; l < scop->stmts[j].n_access; l++) {
          struct tsr_access *a = &scop->stmts[i].access[k], *b = &scop->stmts[j].access[l];
          if (b->array == array && (a->kind != TSR_READ || b->kind != TSR_READ))
            all = isl_union_map_union(all, access_conflicts(checker, i, k, j, l));
        }
  return all;
}

/* ordered_conflicts of a transformed program. */
static isl_union_map *ordered_events(struct tsr_checker *checker, int array)
{
  isl_union_map *all = isl_union_map_empty_ctx(checker->scop->ctx);
  struct tsr_events *events = checker->events;
  for (int i = 0; i < checker->scop->n_array; i++) {
    if (array < 0 ? checker->scop->arrays[i].kind != TSR_ARRAY_MEMORY : i != array)
      continue;
    if (!is_as_before(checker, i)) {
      all = isl_union_map_union(all, event_conflicts(checker, i));
      continue;
    }
    checker->events = NULL;
    all = isl_union_map_union(all, tsr_checker_conflicts(checker, i));
    checker->events = events;
  }
  return all;
}

/* conflicts(ARRAY) in the original order, without pairs that commute. */
isl_union_map *tsr_checker_conflicts(struct tsr_checker *checker, int array)
{
  if (checker->events)
    return ordered_events(checker, array);
  struct tsr_scop *scop = checker->scop;
  isl_union_map *pairs = conflicts(checker, array);
  for (int i = 0; i < scop->n_stmt && checker->relaxed != TSR_STRICT; i++)
    for (int j = 0; j < scop->n_stmt && has_update(checker, &scop->stmts[i]); j++)
      if (has_update(checker, &scop->stmts[j]))
        pairs = drop_commuting(checker, pairs, &scop->stmts[i], &scop->stmts[j], array);
  return original_forward(checker->scop, pairs);
}

/* The first MEMORY array with a conflict in VIOLATED; restricts VIOLATED to it. */
static int find_violated_array(struct tsr_checker *checker, isl_union_map **violated)
{
  for (int i = 0; i < checker->scop->n_array; i++) {
    if (checker->scop->arrays[i].kind != TSR_ARRAY_MEMORY)
      continue;
    isl_union_map *mine = isl_union_map_intersect(isl_union_map_copy(*violated), tsr_checker_conflicts(checker, i));
    if (isl_union_map_is_empty(mine) == isl_bool_false) {
      isl_union_map_free(*violated);
      *violated = mine;
      return i;
    }
    isl_union_map_free(mine);
  }
  return -1;
}

/* Are all conflicts on MEMORY arrays in the same order as before? */
isl_bool tsr_check_memory(struct tsr_checker *checker)
{
  isl_union_map *violated = tsr_tree_order_backward(checker->root, tsr_checker_conflicts(checker, -1));
  isl_bool none = isl_union_map_is_empty(violated);
  if (none == isl_bool_false) {
    int array = find_violated_array(checker, &violated);
    return tsr_checker_fail_pair(checker, violated, array, "must run before");
  }
  isl_union_map_free(violated);
  return none;
}
