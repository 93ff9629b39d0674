/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which loops may run in parallel, as doacross loops or in lockstep, decided from the accesses alone, whatever a coincident
 * flag says: two instances in different iterations of the loop, and in the same iteration of all loops around it, must not
 * touch the same element unless both read. A SCALAR array that is written needs a copy a thread: each of its values must
 * stay within one iteration. So do MEMORY arrays that are apart.
 *
 * Below "doacross" (p, q) two instances must not touch the same element in iterations p < p' and q > q': only for q <= q'
 * one waits for the other. */
#include "access/access.h"
#include <isl/flow.h>
#include <stdlib.h>
#include <string.h>

/* A loop: member 0 of a band, for all iterations of the loops around it; or two, its members 0 and 1. */
struct loop {
  struct tsr_scop *scop;
  isl_union_set *domain;          /* the instances that it runs */
  isl_multi_union_pw_aff *prefix; /* the loops around it */
  isl_multi_union_pw_aff *member; /* the loop itself */
  isl_union_map *inside;          /* { S -> [t] } the order within it, member included */
  int *place;                     /* of each statement in its body, which has no loops; NULL: not asked for */
  bool preloaded;                 /* with that: do all reads of an iteration come before its writes? */
};

static void loop_clear(struct loop *loop)
{
  isl_union_set_free(loop->domain);
  isl_multi_union_pw_aff_free(loop->prefix);
  isl_multi_union_pw_aff_free(loop->member);
  isl_union_map_free(loop->inside);
  free(loop->place);
}

static void loop_init(struct loop *loop, isl_schedule_node *band, struct tsr_scop *scop, bool both)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(band);
  loop->scop = scop;
  loop->place = NULL;
  loop->preloaded = false;
  loop->domain = isl_union_set_intersect_params(isl_schedule_node_get_domain(band), tsr_scop_common(scop));
  loop->prefix = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(band);
  loop->member = both ? isl_multi_union_pw_aff_copy(partial) : tsr_member_schedule(partial, 0);
  loop->inside = isl_schedule_node_get_subtree_schedule_union_map(band);
  isl_multi_union_pw_aff_free(partial);
}

/* Those of PAIRS { S -> T } that share the iterations of all loops around LOOP. */
static isl_union_map *same_prefix(struct loop *loop, isl_union_map *pairs)
{
  if (isl_multi_union_pw_aff_size(loop->prefix) == 0)
    return pairs;
  return tsr_pairs_at_once(pairs, isl_multi_union_pw_aff_copy(loop->prefix));
}

/* { S -> A[k] } of ARRAY alone, of those instances that LOOP runs (INSIDE) or does not run. Reads that follow a must write
 * of the same instance are left out where UNCOVERED is set. */
static isl_union_map *array_accesses(struct loop *loop, int array, unsigned kinds, bool inside, bool uncovered)
{
  struct tsr_scop *scop = loop->scop;
  isl_union_map *all = isl_union_map_empty_ctx(scop->ctx);
  for (int i = 0; i < scop->n_stmt; i++) {
    struct tsr_stmt *stmt = &scop->stmts[i];
    bool written = false;
    for (int k = 0; k < stmt->n_access; k++) {
      struct tsr_access *access = &stmt->access[k];
      if (access->array != array)
        continue;
      if ((kinds >> access->kind & 1) && !(uncovered && written && access->kind == TSR_READ)) {
        isl_map *map = isl_map_intersect_domain(isl_map_copy(access->relation), isl_set_copy(stmt->domain));
        all = isl_union_map_add_map(all, map);
      }
      written |= access->kind == TSR_MUST_WRITE && scop->arrays[array].n_dim == 0;
    }
  }
  if (inside)
    return isl_union_map_intersect_domain(all, isl_union_set_copy(loop->domain));
  all = isl_union_map_intersect_params(all, tsr_scop_common(scop));
  return isl_union_map_subtract_domain(all, isl_union_set_copy(loop->domain));
}

/* Does every read of ARRAY in one iteration of LOOP follow a must write in the same iteration? */
static isl_bool array_is_covered(struct loop *loop, int array)
{
  isl_union_set *reads = isl_union_map_domain(array_accesses(loop, array, TSR_READS, true, true));
  isl_union_set *writes = isl_union_map_domain(array_accesses(loop, array, TSR_MUST_WRITES, true, true));
  isl_union_map *read_order = isl_union_map_intersect_domain(isl_union_map_copy(loop->inside), isl_union_set_copy(reads));
  isl_union_map *write_order = isl_union_map_intersect_domain(isl_union_map_copy(loop->inside), writes);
  isl_union_map *after = isl_union_map_lex_gt_union_map(read_order, write_order);
  after = tsr_pairs_at_once(after, isl_multi_union_pw_aff_copy(loop->member));
  after = same_prefix(loop, after);
  isl_union_set *others = isl_union_set_subtract(reads, isl_union_map_domain(after));
  isl_bool covered = isl_union_set_is_empty(others);
  if (covered == isl_bool_false) { /* by all that is known? */
    others = isl_union_set_intersect_params(others, tsr_scop_known(loop->scop));
    covered = isl_union_set_is_empty(others);
  }
  isl_union_set_free(others);
  return covered;
}

/* Do the reads of ARRAY outside of LOOP get nothing that LOOP writes? */
static isl_bool array_stays_inside(struct loop *loop, int array)
{
  if (loop->scop->arrays[array].n_dim || loop->scop->arrays[array].live_out)
    return isl_bool_false;
  isl_union_map *reads = array_accesses(loop, array, TSR_READS, false, true);
  isl_union_map *writes = array_accesses(loop, array, TSR_WRITES, false, false);
  writes = isl_union_map_union(writes, array_accesses(loop, array, TSR_WRITES, true, false));
  isl_union_set *touched = isl_union_map_domain(isl_union_map_copy(reads));
  touched = isl_union_set_union(touched, isl_union_map_domain(isl_union_map_copy(writes)));
  isl_union_access_info *info = isl_union_access_info_from_sink(reads);
  info = isl_union_access_info_set_must_source(info, writes);
  info = isl_union_access_info_set_schedule(info, tsr_scop_part_schedule(loop->scop, touched));
  isl_union_flow *flow = isl_union_access_info_compute_flow(info);
  isl_union_set *sources = isl_union_map_domain(isl_union_flow_get_must_dependence(flow));
  isl_bool none = isl_union_set_is_disjoint(sources, loop->domain);
  isl_union_set_free(sources);
  isl_union_flow_free(flow);
  return none;
}

/* Does every read of ARRAY in one iteration of LOOP follow a must write in the same iteration, and does nobody outside
 * read what it writes? Then each of its values stays within one iteration. */
static isl_bool array_is_private(struct loop *loop, int array)
{
  if (loop->scop->arrays[array].n_dim || loop->scop->arrays[array].live_out)
    return isl_bool_false;
  isl_bool covered = array_is_covered(loop, array);
  if (covered != isl_bool_true)
    return covered;
  isl_union_map *outside = array_accesses(loop, array, TSR_READS, false, true);
  isl_bool alone = isl_union_map_is_empty(outside);
  isl_union_map_free(outside);
  return alone == isl_bool_false ? array_stays_inside(loop, array) : alone;
}

/* Does LOOP write ARRAY? For a SCALAR that is enough, even if but one iteration does: the other threads would have its old
 * value to give back. */
static isl_bool array_is_written(struct loop *loop, int array)
{
  isl_union_map *writes = array_accesses(loop, array, TSR_WRITES, true, false);
  isl_bool unwritten = isl_union_map_is_empty(writes);
  isl_union_map_free(writes);
  return isl_bool_not(unwritten);
}

/* Do two iterations of LOOP, in the same iteration of all loops around, make accesses, one of WRITES and one of ALL, to one
 * element? */
static isl_bool accesses_meet(struct loop *loop, __isl_take isl_union_map *writes, __isl_take isl_union_map *all)
{
  isl_union_map *pairs = isl_union_map_apply_range(writes, isl_union_map_reverse(all));
  pairs = same_prefix(loop, pairs);
  isl_union_map *ahead = tsr_pairs_before(isl_union_map_copy(pairs), isl_multi_union_pw_aff_copy(loop->member));
  isl_bool none = isl_union_map_is_empty(ahead);
  isl_union_map_free(ahead);
  if (none == isl_bool_true) {
    isl_union_map *back = tsr_pairs_after(isl_union_map_copy(pairs), isl_multi_union_pw_aff_copy(loop->member));
    none = isl_union_map_is_empty(back);
    isl_union_map_free(back);
  }
  isl_union_map_free(pairs);
  return isl_bool_not(none);
}

static isl_bool is_basic(isl_map *map, void *user)
{
  (void)user;
  return isl_bool_ok(isl_map_n_basic_map(map) <= 1);
}

/* Do two iterations of LOOP, in the same iteration of all loops around, touch an element of ARRAY that one writes? Where
 * accesses are in many pieces, their hulls are tried first: pairs of pieces are many more. */
static isl_bool array_has_conflict(struct loop *loop, int array)
{
  isl_union_map *writes = array_accesses(loop, array, TSR_WRITES, true, false);
  isl_bool unwritten = isl_union_map_is_empty(writes);
  if (unwritten != isl_bool_false) {
    isl_union_map_free(writes);
    return isl_bool_not(unwritten);
  }
  isl_union_map *all = array_accesses(loop, array, TSR_READS | TSR_WRITES, true, false);
  if (isl_union_map_every_map(all, is_basic, NULL) == isl_bool_false) {
    isl_union_map *around = isl_union_map_simple_hull(isl_union_map_copy(writes));
    isl_bool may = accesses_meet(loop, around, isl_union_map_simple_hull(isl_union_map_copy(all)));
    if (may != isl_bool_true) {
      isl_union_map_free(writes);
      isl_union_map_free(all);
      return may;
    }
  }
  return accesses_meet(loop, writes, all);
}

/* Of the arrays of ARRAYS (mask) that are not in APART (may be NULL): has none of MEMORY a conflict, as CONFLICTS says, and
 * is each SCALAR one that is written private? PRIVATE_OUT, unless it is NULL, receives those. LOOP is cleared. */
static isl_bool is_free(struct loop *loop, unsigned arrays, isl_bool (*conflicts)(struct loop *, int), const bool *apart,
                        bool *private_out)
{
  struct tsr_scop *scop = loop->scop;
  isl_bool is = isl_bool_true;
  if (private_out)
    memset(private_out, 0, scop->n_array * sizeof(*private_out));
  for (int i = 0; is == isl_bool_true && i < scop->n_array; i++) {
    if (!(arrays >> scop->arrays[i].kind & 1) || (apart && apart[i]))
      continue;
    bool scalar = scop->arrays[i].kind == TSR_ARRAY_SCALAR;
    isl_bool conflict = scalar ? array_is_written(loop, i) : conflicts(loop, i);
    if (conflict == isl_bool_true && scalar) {
      isl_bool private = array_is_private(loop, i);
      if (private_out && private == isl_bool_true)
        private_out[i] = true;
      conflict = isl_bool_not(private);
    }
    is = isl_bool_not(conflict);
  }
  loop_clear(loop);
  return is;
}

isl_bool tsr_band_is_parallel(isl_schedule_node *band, struct tsr_scop *scop, unsigned arrays, bool *private_out)
{
  struct loop loop;
  if (isl_schedule_node_get_type(band) != isl_schedule_node_band || isl_schedule_node_band_n_member(band) < 1)
    return isl_bool_false;
  loop_init(&loop, band, scop, false);
  return is_free(&loop, arrays, array_has_conflict, NULL, private_out);
}

isl_bool tsr_band_conflicts(isl_schedule_node *band, struct tsr_scop *scop, bool *memory)
{
  struct loop loop;
  bool any = false;
  loop_init(&loop, band, scop, false);
  for (int i = 0; i < scop->n_array; i++) {
    memory[i] = scop->arrays[i].kind == TSR_ARRAY_MEMORY && array_has_conflict(&loop, i) != isl_bool_false;
    any |= memory[i];
  }
  loop_clear(&loop);
  return isl_bool_ok(any);
}

isl_bool tsr_band_is_parallel_apart(isl_schedule_node *band, struct tsr_scop *scop, unsigned arrays, const bool *apart,
                                    bool *private_out)
{
  struct loop loop;
  if (isl_schedule_node_get_type(band) != isl_schedule_node_band || isl_schedule_node_band_n_member(band) < 1)
    return isl_bool_false;
  loop_init(&loop, band, scop, false);
  return is_free(&loop, arrays, array_has_conflict, apart, private_out);
}

/* Does STMT copy one element to others, in its innermost loop? Where it overwrites that, it is with what it holds. */
static bool spreads(const struct tsr_stmt *stmt)
{
  unsigned n = (unsigned)isl_set_dim(stmt->domain, isl_dim_set);
  return stmt->n_access == 2 && stmt->latency == 0 && stmt->access[0].kind == TSR_READ &&
         stmt->access[0].array == stmt->access[1].array && n > 0 &&
         isl_map_involves_dims(stmt->access[0].relation, isl_dim_in, n - 1, 1) == isl_bool_false;
}

/* Does STMT write, behind its access K, a write, the same element once more? Nobody stores what K does, then. */
static bool is_overwritten(const struct tsr_stmt *stmt, int k)
{
  bool again = false;
  for (int l = k + 1; l < stmt->n_access && stmt->access[k].kind != TSR_READ && !again; l++)
    again = stmt->access[l].kind == TSR_MUST_WRITE && stmt->access[l].array == stmt->access[k].array &&
            isl_map_plain_is_equal(stmt->access[l].relation, stmt->access[k].relation) == isl_bool_true;
  return again;
}

/* Does access K of statement S, in an iteration of LOOP, come before access L of T in a later one even if each statement
 * runs for several iterations before the next one does? */
static bool is_forward(const struct loop *loop, int s, int k, int t, int l)
{
  const struct tsr_stmt *stmts = loop->scop->stmts;
  const struct tsr_access *from = &stmts[s].access[k], *to = &stmts[t].access[l];
  return loop->place[s] < loop->place[t] ||
         (s == t && from->kind == TSR_READ && to->kind != TSR_READ && (k < l || is_overwritten(&stmts[t], l))) ||
         (s == t && k != l && spreads(&stmts[s]));
}

/* The same, where all reads of an iteration come before its writes. */
static bool is_forward_preloaded(const struct loop *loop, int s, int k, int t, int l)
{
  const struct tsr_stmt *stmts = loop->scop->stmts;
  bool reads = stmts[s].access[k].kind == TSR_READ, read_later = stmts[t].access[l].kind == TSR_READ;
  return reads || (!read_later && (loop->place[s] < loop->place[t] || (s == t && k < l)));
}

/* { S -> T } where access K of S and L of T are to one element of ARRAY, which one of them writes. */
static isl_union_map *meeting(const struct loop *loop, int array, int s, int k, int t, int l)
{
  struct tsr_stmt *a = &loop->scop->stmts[s], *b = &loop->scop->stmts[t];
  if (a->access[k].array != array || b->access[l].array != array ||
      (a->access[k].kind == TSR_READ && b->access[l].kind == TSR_READ))
    return NULL;
  isl_map *from = isl_map_intersect_domain(isl_map_copy(a->access[k].relation), isl_set_copy(a->domain));
  isl_map *to = isl_map_intersect_domain(isl_map_copy(b->access[l].relation), isl_set_copy(b->domain));
  return isl_union_map_from_map(isl_map_apply_range(from, isl_map_reverse(to)));
}

/* Does an iteration of LOOP have to be over, as far as ARRAY goes, before a later one begins? */
static isl_bool array_goes_back(struct loop *loop, int array)
{
  struct tsr_scop *scop = loop->scop;
  isl_union_map *pairs = isl_union_map_empty_ctx(scop->ctx);
  for (int s = 0; s < scop->n_stmt; s++)
    for (int t = 0; t < scop->n_stmt && loop->place[s] >= 0; t++)
      for (int k = 0; k < scop->stmts[s].n_access && loop->place[t] >= 0; k++)
        for (int l = 0; l < scop->stmts[t].n_access; l++) {
          bool forward = loop->preloaded ? is_forward_preloaded(loop, s, k, t, l) : is_forward(loop, s, k, t, l);
          isl_union_map *some = forward ? NULL : meeting(loop, array, s, k, t, l);
          pairs = some ? isl_union_map_union(pairs, some) : pairs;
        }
  pairs = isl_union_map_intersect_domain(pairs, isl_union_set_copy(loop->domain));
  pairs = isl_union_map_intersect_range(pairs, isl_union_set_copy(loop->domain));
  pairs = tsr_pairs_before(same_prefix(loop, pairs), isl_multi_union_pw_aff_copy(loop->member));
  isl_bool none = isl_union_map_is_empty(pairs);
  isl_union_map_free(pairs);
  return isl_bool_not(none);
}

/* Where each statement is in the body of the loop BAND; NULL: there are loops in it. */
static int *find_places(isl_schedule_node *band, struct tsr_scop *scop)
{
  isl_schedule_node *body = isl_schedule_node_get_child(band, 0);
  enum isl_schedule_node_type type = isl_schedule_node_get_type(body);
  isl_size n = type == isl_schedule_node_sequence ? isl_schedule_node_n_children(body) : 1;
  int *place = malloc((scop->n_stmt + 1) * sizeof(*place));
  bool plain = place && tsr_node_has_band_below(body) == isl_bool_false && type != isl_schedule_node_set;
  for (int s = 0; s < scop->n_stmt && plain; s++)
    place[s] = -1;
  for (int i = 0; i < n && plain; i++) {
    isl_schedule_node *part =
        type == isl_schedule_node_sequence ? isl_schedule_node_get_child(body, i) : isl_schedule_node_copy(body);
    isl_union_set *domain =
        type == isl_schedule_node_sequence ? isl_schedule_node_filter_get_filter(part) : isl_schedule_node_get_domain(part);
    for (int s = 0; s < scop->n_stmt; s++) {
      isl_set *own = isl_union_set_extract_set(domain, isl_set_get_space(scop->stmts[s].domain));
      if (isl_set_is_empty(own) == isl_bool_false) {
        plain &= place[s] < 0;
        place[s] = i;
      }
      isl_set_free(own);
    }
    isl_union_set_free(domain);
    isl_schedule_node_free(part);
  }
  isl_schedule_node_free(body);
  if (plain)
    return place;
  free(place);
  return NULL;
}

isl_bool tsr_band_is_forward(isl_schedule_node *band, struct tsr_scop *scop)
{
  struct loop loop;
  int *place = find_places(band, scop);
  if (!place)
    return isl_bool_false;
  loop_init(&loop, band, scop, false);
  loop.place = place;
  return is_free(&loop, TSR_ANY_ARRAY, array_goes_back, NULL, NULL);
}

/* Does a statement of LOOP read in an iteration what one before, or it itself before that, has written there? */
static isl_bool reads_own_writes(struct loop *loop)
{
  struct tsr_scop *scop = loop->scop;
  isl_union_map *pairs = isl_union_map_empty_ctx(scop->ctx);
  for (int s = 0; s < scop->n_stmt; s++)
    for (int t = 0; t < scop->n_stmt && loop->place[s] >= 0; t++)
      for (int k = 0; k < scop->stmts[s].n_access && loop->place[t] >= 0 && loop->place[s] <= loop->place[t]; k++)
        for (int l = s == t ? k + 1 : 0; l < scop->stmts[t].n_access; l++) {
          bool passes = scop->stmts[s].access[k].kind != TSR_READ && scop->stmts[t].access[l].kind == TSR_READ;
          isl_union_map *some = passes ? meeting(loop, scop->stmts[s].access[k].array, s, k, t, l) : NULL;
          pairs = some ? isl_union_map_union(pairs, some) : pairs;
        }
  pairs = isl_union_map_intersect_domain(pairs, isl_union_set_copy(loop->domain));
  pairs = isl_union_map_intersect_range(pairs, isl_union_set_copy(loop->domain));
  pairs = isl_union_map_eq_at_multi_union_pw_aff(same_prefix(loop, pairs), isl_multi_union_pw_aff_copy(loop->member));
  isl_bool none = isl_union_map_is_empty(pairs);
  isl_union_map_free(pairs);
  return isl_bool_not(none);
}

/* Does a statement of LOOP write SCALAR arrays, or access memory under a condition? */
static bool is_involved(const struct loop *loop)
{
  bool involved = false;
  for (int s = 0; s < loop->scop->n_stmt; s++)
    for (int k = 0; k < loop->scop->stmts[s].n_access && loop->place[s] >= 0; k++) {
      const struct tsr_access *access = &loop->scop->stmts[s].access[k];
      bool scalar = loop->scop->arrays[access->array].kind == TSR_ARRAY_SCALAR;
      involved |= access->maybe || access->kind == TSR_MAY_WRITE || (scalar && access->kind != TSR_READ);
    }
  return involved;
}

isl_bool tsr_band_is_preloadable(isl_schedule_node *band, struct tsr_scop *scop)
{
  struct loop loop;
  int *place = find_places(band, scop);
  if (!place)
    return isl_bool_false;
  loop_init(&loop, band, scop, false);
  loop.place = place;
  loop.preloaded = true;
  isl_bool good = is_involved(&loop) ? isl_bool_false : isl_bool_not(reads_own_writes(&loop));
  if (good == isl_bool_true)
    return is_free(&loop, TSR_ANY_ARRAY, array_goes_back, NULL, NULL);
  loop_clear(&loop);
  return good;
}

/* The part of PAIRS { S -> T } where S is earlier in P and later in Q. */
static isl_union_map *crossing(isl_union_map *pairs, isl_multi_union_pw_aff *p, isl_multi_union_pw_aff *q)
{
  pairs = tsr_pairs_before(pairs, isl_multi_union_pw_aff_copy(p));
  return tsr_pairs_after(pairs, isl_multi_union_pw_aff_copy(q));
}

/* Do two instances, in the same iteration of all loops around, that no order of LOOP's two members is kept for touch an
 * element of ARRAY that one writes? */
static isl_bool array_crosses(struct loop *loop, int array)
{
  isl_union_map *writes = array_accesses(loop, array, TSR_WRITES, true, false);
  isl_union_map *all = array_accesses(loop, array, TSR_READS | TSR_WRITES, true, false);
  isl_union_map *pairs = same_prefix(loop, isl_union_map_apply_range(writes, isl_union_map_reverse(all)));
  isl_multi_union_pw_aff *p = tsr_member_schedule(loop->member, 0), *q = tsr_member_schedule(loop->member, 1);
  isl_union_map *ahead = crossing(isl_union_map_copy(pairs), p, q), *back = crossing(pairs, q, p);
  isl_bool none = isl_union_map_is_empty(ahead);
  if (none == isl_bool_true)
    none = isl_union_map_is_empty(back);
  isl_union_map_free(ahead);
  isl_union_map_free(back);
  isl_multi_union_pw_aff_free(p);
  isl_multi_union_pw_aff_free(q);
  return isl_bool_not(none);
}

isl_bool tsr_band_is_doacross(isl_schedule_node *band, struct tsr_scop *scop, bool *private_out)
{
  struct loop loop;
  if (isl_schedule_node_get_type(band) != isl_schedule_node_band || isl_schedule_node_band_n_member(band) != 2)
    return isl_bool_false;
  loop_init(&loop, band, scop, true);
  return is_free(&loop, TSR_ANY_ARRAY, array_crosses, NULL, private_out);
}

isl_bool tsr_band_is_lockstep(isl_schedule_node *band, struct tsr_scop *scop)
{
  struct loop loop;
  isl_bool good = isl_bool_true;
  if (isl_schedule_node_get_type(band) != isl_schedule_node_band || isl_schedule_node_band_n_member(band) != 1)
    return isl_bool_false;
  loop_init(&loop, band, scop, false);
  for (int i = 0; good == isl_bool_true && i < scop->n_array; i++) {
    if (scop->arrays[i].kind == TSR_ARRAY_MEMORY) {
      good = isl_bool_not(array_has_conflict(&loop, i));
      continue;
    }
    isl_bool written = array_is_written(&loop, i);
    good = written == isl_bool_true ? array_is_covered(&loop, i) : isl_bool_not(isl_bool_ok(written < 0));
    if (written == isl_bool_true && good == isl_bool_true)
      good = array_stays_inside(&loop, i);
  }
  loop_clear(&loop);
  return good;
}

/* Does each read of ARRAY by STMTS get its value from SOURCES, that is, in the same iteration? */
static bool has_plain_sources(struct tsr_scop *scop, int array, const bool *stmts, const struct tsr_source *sources)
{
  bool plain = sources != NULL;
  for (int i = 0, at = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++, at++)
      if (stmts[i] && scop->stmts[i].access[k].array == array && scop->stmts[i].access[k].kind == TSR_READ)
        plain = plain && sources[at].stmt >= 0 && stmts[sources[at].stmt];
  return plain;
}

isl_bool tsr_band_has_conflict(isl_schedule_node *band, struct tsr_scop *scop, const bool *stmts,
                               const struct tsr_source *sources)
{
  struct loop loop;
  isl_bool has = isl_bool_false;
  isl_union_set *domain = isl_union_set_empty_ctx(scop->ctx);
  for (int i = 0; i < scop->n_stmt; i++)
    if (stmts[i])
      domain = isl_union_set_union(domain, isl_union_set_from_set(isl_set_copy(scop->stmts[i].domain)));
  loop_init(&loop, band, scop, false);
  loop.domain = isl_union_set_intersect(loop.domain, domain);
  for (int i = 0; i < scop->n_array && has == isl_bool_false; i++) {
    bool memory = scop->arrays[i].kind == TSR_ARRAY_MEMORY;
    has = memory ? array_has_conflict(&loop, i) : array_is_written(&loop, i);
    if (has == isl_bool_true && !memory)
      has = has_plain_sources(scop, i, stmts, sources) ? isl_bool_false : isl_bool_not(array_is_covered(&loop, i));
  }
  loop_clear(&loop);
  return has;
}

isl_bool tsr_node_is_of_one_thread(isl_schedule_node *node, struct tsr_scop *scop)
{
  isl_bool is = isl_bool_false;
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  for (int i = 0; i < scop->n_stmt && is == isl_bool_false; i++) {
    if (!scop->stmts[i].one_thread)
      continue;
    isl_union_set *own = isl_union_set_from_set(isl_set_copy(scop->stmts[i].domain));
    is = isl_bool_not(isl_union_set_is_disjoint(domain, own));
    isl_union_set_free(own);
  }
  isl_union_set_free(domain);
  return is;
}
