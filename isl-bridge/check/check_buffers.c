/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a transformed program does to the program's memory, access by access of the original, and whether its buffers hold
 * what they stand for:
 *
 *     event   { S[i] -> E[x] }    for access K of S: where the program makes it. E is the statement that performs S, or
 *                                 the move that fetched the value for it, or that stores its value from a buffer
 *
 * Found from the accesses, the tree, and where values in buffers come from (check_sources.c):
 *
 *   - what a read of a buffer gets was written in the same life of the buffer: by a move from memory, which is the event, or
 * by a statement that computes. In memory it must be the element that the original reads. What was computed must be what the
 * original reads there, by its own flow: no event
 *   - a write to memory stores what one original write does, in its place; each original write has one event, but for those
 *     that nobody reads from memory and that a later one with an event overwrites, or that are to an array that is dead
 *     behind the SCoP
 *
 * Then the order of events is checked as that of accesses is (check.c). Recomputation is a statement with several instances
 * of one origin: its writes have no event but one. */
#include "access/access.h"
#include "check/check_buffers.h"
#include <isl/flow.h>
#include <isl/id.h>
#include <isl/space.h>
#include <stdlib.h>

/* ---- reads ---- */

/* Does ELEMENTS { Z[x] -> A[e] } keep to what WANTED { Z[x] -> A[e] } says? Takes both. */
static isl_bool are_elements(isl_union_map *elements, isl_union_map *wanted)
{
  isl_bool are = isl_union_map_is_subset(elements, wanted);
  isl_union_map_free(elements);
  isl_union_map_free(wanted);
  return are;
}

/* { M[y] -> A[e] } of all moves, by access K. */
static isl_union_map *move_relations(struct tsr_buffers *b, int k)
{
  isl_union_map *all = isl_union_map_empty_ctx(b->scop->ctx);
  for (int i = 0; i < b->scop->n_stmt; i++)
    if (b->scop->stmts[i].kind == TSR_STMT_MOVE)
      all = isl_union_map_add_map(all, tsr_relation_of(b, &b->scop->stmts[i], k));
  return all;
}

/* What computed_elements gathers. */
struct computed {
  struct tsr_buffers *b;
  isl_union_map *elements, *origins;
};

static isl_stat add_computed(isl_set *writers, void *user)
{
  struct computed *c = user;
  int number = tsr_scop_find_stmt(c->b->scop, isl_set_get_tuple_name(writers));
  const struct tsr_stmt *stmt = number < 0 ? NULL : &c->b->scop->stmts[number];
  isl_id *id = isl_set_get_tuple_id(writers);
  int k = stmt ? tsr_source_access(stmt, id) : -1;
  isl_set_free(writers);
  if (k >= 0) {
    isl_map *element = tsr_original_relation(c->b, stmt, k), *origin = tsr_origin_of(c->b, stmt);
    c->elements = isl_union_map_add_map(c->elements, isl_map_set_tuple_id(element, isl_dim_in, isl_id_copy(id)));
    c->origins = isl_union_map_add_map(c->origins, isl_map_set_tuple_id(origin, isl_dim_in, isl_id_copy(id)));
  }
  isl_id_free(id);
  return k >= 0 ? isl_stat_non_null(c->elements) : isl_stat_error;
}

/* What WRITERS of buffers, named by their accesses, compute stands for in memory: { W[y] -> A[e] }; and { W[y] -> W0[j] },
 * their origins, in *ORIGINS. Takes WRITERS. */
static isl_union_map *computed_elements(struct tsr_buffers *b, isl_union_set *writers, isl_union_map **origins)
{
  struct computed c = {b, isl_union_map_empty_ctx(b->scop->ctx), isl_union_map_empty_ctx(b->scop->ctx)};
  if (isl_union_set_foreach_set(writers, add_computed, &c) < 0)
    c.elements = isl_union_map_free(c.elements);
  isl_union_set_free(writers);
  *origins = c.origins;
  return c.elements;
}

/* { W[j] -> S[i] : READS { S[i] -> A[e] } of ARRAY, which are taken, get their value from W }, originally; MAY_GET: or may
 * get it. */
static isl_union_map *original_flow(struct tsr_buffers *b, int array, __isl_take isl_map *reads, bool may_get)
{
  struct tsr_scop *scop = b->original;
  isl_union_map *must = isl_union_map_empty_ctx(scop->ctx), *may = isl_union_map_empty_ctx(scop->ctx);
  isl_union_map *sink = isl_union_map_from_map(reads);
  for (int i = 0; i < scop->n_stmt; i++)
    for (int l = 0; l < scop->stmts[i].n_access; l++) {
      struct tsr_access *access = &scop->stmts[i].access[l];
      if (access->array != array || access->kind == TSR_READ)
        continue;
      isl_map *write = tsr_relation_of(b, &scop->stmts[i], l);
      if (access->kind == TSR_MUST_WRITE)
        must = isl_union_map_add_map(must, write);
      else
        may = isl_union_map_add_map(may, write);
    }
  isl_union_access_info *info = isl_union_access_info_from_sink(sink);
  info = isl_union_access_info_set_may_source(isl_union_access_info_set_must_source(info, must), may);
  info = isl_union_access_info_set_schedule(info, isl_schedule_copy(scop->schedule));
  isl_union_flow *flow = isl_union_access_info_compute_flow(info);
  isl_union_map *dependence = may_get ? isl_union_flow_get_may_dependence(flow) : isl_union_flow_get_must_dependence(flow);
  isl_union_flow_free(flow);
  return dependence;
}

/* Is each element of ARRAY written at most once originally, for sure where it is? Then whoever reads it behind that gets
 * that. */
static isl_bool is_written_once(struct tsr_buffers *b, int array)
{
  const struct tsr_stmt *writer = NULL;
  int write = -1;
  for (int i = 0; i < b->original->n_stmt; i++)
    for (int k = 0; k < b->original->stmts[i].n_access; k++) {
      struct tsr_access *access = &b->original->stmts[i].access[k];
      if (access->array != array || access->kind == TSR_READ)
        continue;
      if (writer || access->kind != TSR_MUST_WRITE)
        return isl_bool_false;
      writer = &b->original->stmts[i];
      write = k;
    }
  isl_map *relation = writer ? tsr_relation_of(b, writer, write) : NULL;
  isl_bool once = relation ? isl_map_is_injective(relation) : isl_bool_false;
  isl_map_free(relation);
  return once;
}

/* A read of a buffer: by access K of STMT, of one of the elements that data may say. */
struct read {
  const struct tsr_stmt *stmt;
  int k;
  isl_map *now, *then; /* { S'[x] -> B[e] } and { S'[x] -> A[e] }, what it stands for */
  isl_map *original;   /* { S[i] -> A[e] } */
  isl_map *anywhere;   /* what `then` would be of any S'[x], if that is known; or NULL */
};

/* What READ is to get: of instances that read, what it would be of any, which is simpler. */
static isl_union_map *wanted(const struct read *read)
{
  return isl_union_map_from_map(isl_map_copy(read->anywhere ? read->anywhere : read->then));
}

/* Does the original, by READ, get what PAIRS { W[j] -> S[i] } say, W writing that element? */
static isl_bool is_original_flow(struct tsr_buffers *b, const struct read *read, __isl_take isl_union_map *pairs)
{
  int array = b->original->stmts[tsr_stmt_original(b->program, read->stmt)].access[read->k].array;
  isl_bool once = is_written_once(b, array);
  if (once != isl_bool_true)
    return once < 0 ? (isl_union_map_free(pairs), once)
                    : are_elements(pairs, original_flow(b, array, isl_map_copy(read->original), false));
  isl_schedule_node *root = isl_schedule_get_root(b->original->schedule);
  isl_union_map *late = tsr_tree_order_backward(root, pairs);
  isl_schedule_node_free(root);
  isl_bool none = isl_union_map_is_empty(late);
  isl_union_map_free(late);
  return none;
}

/* Does each instance that READ is about read what the original's does, if it gets COMPUTED { S'[x] -> W'[y] } from buffers?
 */
static isl_stat check_computed(struct tsr_buffers *b, const struct read *read, isl_union_map *computed)
{
  if (isl_union_map_is_empty(computed) == isl_bool_true)
    return isl_stat_ok;
  isl_union_map *origins;
  isl_union_map *elements = computed_elements(b, isl_union_map_range(isl_union_map_copy(computed)), &origins);
  isl_bool same = are_elements(isl_union_map_apply_range(isl_union_map_copy(computed), elements), wanted(read));
  if (same == isl_bool_false) {
    isl_union_map_free(origins);
    return tsr_buffers_wrong(b, "reads from a buffer what stands for another element", read->stmt->name);
  }
  isl_union_map *pairs = isl_union_map_apply_range(isl_union_map_copy(computed), origins);
  pairs = isl_union_map_apply_domain(pairs, isl_union_map_from_map(tsr_origin_of(b, read->stmt)));
  isl_bool flows = is_original_flow(b, read, isl_union_map_reverse(pairs));
  if (same < 0 || flows < 0)
    return isl_stat_error;
  return flows ? isl_stat_ok
               : tsr_buffers_wrong(b, "reads from a buffer a value that the original doesn't read", read->stmt->name);
}

/* The same, if it gets MOVED { S'[x] -> M[y] } from memory. Hulls of the moves may be enough to see it. */
static isl_stat check_moved(struct tsr_buffers *b, const struct read *read, isl_union_map *moved)
{
  isl_bool same = isl_bool_false;
  for (int exact = 0; exact < 2 && same == isl_bool_false; exact++) {
    if (!b->fetched)
      b->fetched = isl_union_map_simple_hull(move_relations(b, 0));
    isl_union_map *from = exact ? move_relations(b, 0) : isl_union_map_copy(b->fetched);
    isl_union_map *elements = isl_union_map_apply_range(isl_union_map_copy(moved), from);
    same = are_elements(elements, wanted(read));
  }
  return same < 0 ? isl_stat_error
         : same   ? isl_stat_ok
                  : tsr_buffers_wrong(b, "reads from a buffer what was fetched from another element", read->stmt->name);
}

/* Check READ; *EVENT { S[i] -> M[y] }: its moves from memory. */
static isl_stat check_read(struct tsr_buffers *b, const struct read *read, isl_union_map **event)
{
  struct tsr_sources sources;
  isl_stat ok = tsr_find_sources(b, read->stmt->access[read->k].array, isl_map_copy(read->now), &sources);
  if (ok == isl_stat_ok)
    ok = check_computed(b, read, sources.computed);
  if (ok == isl_stat_ok)
    ok = check_moved(b, read, sources.moved);
  isl_union_map *origin = isl_union_map_from_map(tsr_origin_of(b, read->stmt));
  *event = isl_union_map_apply_domain(isl_union_map_copy(sources.moved), origin);
  tsr_sources_clear(&sources);
  return ok;
}

/* { S'[x] -> A[e] } of read K of STMT, whatever its domain; NULL: its origin isn't plain. */
static isl_map *anywhere(struct tsr_buffers *b, const struct tsr_stmt *stmt, int k)
{
  isl_map *original = tsr_original_function(b, stmt, k);
  return !original      ? NULL
         : stmt->origin ? isl_map_apply_range(isl_map_copy(stmt->origin), isl_map_copy(original))
                        : isl_map_copy(original);
}

/* The events of read K of STMT, which is from a buffer, in *EVENT: whichever element data says, it must be right. */
static isl_stat check_reads(struct tsr_buffers *b, const struct tsr_stmt *stmt, int k, isl_union_map **event)
{
  const struct tsr_stmt *original = &b->original->stmts[tsr_stmt_original(b->program, stmt)];
  isl_map *relation[] = {tsr_relation_of(b, stmt, k), tsr_original_relation(b, stmt, k), tsr_relation_of(b, original, k)};
  isl_map *of[] = {stmt->access[k].relation, tsr_original_function(b, stmt, k), original->access[k].relation};
  struct tsr_loose loose[3];
  isl_stat ok = isl_stat_ok;
  for (int i = 0; i < 3; i++) {
    isl_bool is = tsr_access_loose(relation[i], of[i], &loose[i]); /* as tsr_check_accesses has seen */
    ok = is == isl_bool_true ? ok : isl_stat_error;
    isl_map_free(relation[i]);
  }
  *event = isl_union_map_empty_ctx(b->scop->ctx);
  for (long more = 0; more <= loose[0].extent && ok == isl_stat_ok; more++) {
    isl_union_map *own;
    struct read read = {stmt,
                        k,
                        tsr_loose_at(&loose[0], more),
                        tsr_loose_at(&loose[1], more),
                        tsr_loose_at(&loose[2], more),
                        loose[0].subscript < 0 ? anywhere(b, stmt, k) : NULL};
    ok = check_read(b, &read, &own);
    *event = isl_union_map_union(*event, own);
    isl_map_free(read.now);
    isl_map_free(read.then);
    isl_map_free(read.original);
    isl_map_free(read.anywhere);
  }
  for (int i = 0; i < 3; i++)
    tsr_loose_clear(&loose[i]);
  return ok;
}

/* The events of read K of STMT. */
static isl_stat add_read(struct tsr_buffers *b, const struct tsr_stmt *stmt, int k)
{
  int original = tsr_stmt_original(b->program, stmt);
  isl_union_map *event;
  isl_stat ok = isl_stat_ok;
  if (tsr_is_buffer(b, stmt->access[k].array))
    ok = check_reads(b, stmt, k, &event);
  else
    event = isl_union_map_reverse(isl_union_map_from_map(tsr_origin_of(b, stmt)));
  if (ok < 0) {
    isl_union_map_free(event);
    return ok;
  }
  isl_union_map **all = tsr_events_at(b->events, original, k);
  *all = isl_union_map_union(*all, event);
  return isl_stat_non_null(*all);
}

/* ---- writes ---- */

/* The events of the writes of COMPUTE statement STMT that go to memory. */
static isl_stat add_write(struct tsr_buffers *b, const struct tsr_stmt *stmt, int k)
{
  if (tsr_is_buffer(b, stmt->access[k].array))
    return isl_stat_ok;
  isl_union_map **all = tsr_events_at(b->events, tsr_stmt_original(b->program, stmt), k);
  *all = isl_union_map_union(*all, isl_union_map_reverse(isl_union_map_from_map(tsr_origin_of(b, stmt))));
  return isl_stat_non_null(*all);
}

/* The move that add_stored is about. */
struct stored {
  struct tsr_buffers *b;
  const struct tsr_stmt *move;
};

/* MOVE stores what W' computed, by COMPUTED { M[y] -> W'[z] }: these are events of W. */
static isl_stat add_stored(isl_map *computed, void *user)
{
  struct stored *s = user;
  struct tsr_buffers *b = s->b;
  int number = tsr_scop_find_stmt(b->scop, isl_map_get_tuple_name(computed, isl_dim_out));
  const struct tsr_stmt *stmt = &b->scop->stmts[number];
  isl_id *id = isl_map_get_tuple_id(computed, isl_dim_out);
  int k = tsr_source_access(stmt, id);
  isl_id_free(id);
  computed = isl_map_set_tuple_name(computed, isl_dim_out, stmt->name);
  if (k < 0) {
    isl_map_free(computed);
    return isl_stat_error;
  }
  isl_map *stands_for = isl_map_apply_range(isl_map_copy(computed), tsr_original_relation(b, stmt, k));
  isl_map *stored = isl_map_intersect_domain(tsr_relation_of(b, s->move, 1), isl_map_domain(isl_map_copy(computed)));
  isl_bool same = are_elements(isl_union_map_from_map(stored), isl_union_map_from_map(isl_map_copy(stands_for)));
  isl_map_free(stands_for);
  if (same != isl_bool_true) {
    isl_map_free(computed);
    return same < 0 ? isl_stat_error : tsr_buffers_wrong(b, "stores to another element than the original", s->move->name);
  }
  isl_union_map **all = tsr_events_at(b->events, tsr_stmt_original(b->program, stmt), k);
  isl_map *event = isl_map_reverse(isl_map_apply_range(computed, tsr_origin_of(b, stmt)));
  *all = isl_union_map_add_map(*all, event);
  return isl_stat_non_null(*all);
}

/* The events that MOVE is, if it stores to memory. */
static isl_stat add_move(struct tsr_buffers *b, const struct tsr_stmt *move)
{
  if (tsr_is_buffer(b, move->access[1].array))
    return isl_stat_ok;
  if (!tsr_is_buffer(b, move->access[0].array))
    return tsr_buffers_wrong(b, "moves from memory to memory", move->name);
  struct tsr_sources sources;
  struct stored stored = {b, move};
  isl_stat ok = tsr_find_sources(b, move->access[0].array, tsr_relation_of(b, move, 0), &sources);
  if (ok == isl_stat_ok && isl_union_map_is_empty(sources.moved) != isl_bool_true)
    ok = tsr_buffers_wrong(b, "stores what nobody computed", move->name);
  isl_bool single = ok == isl_stat_ok ? isl_union_map_is_single_valued(sources.computed) : isl_bool_error;
  if (single == isl_bool_false)
    ok = tsr_buffers_wrong(b, "stores what several instances computed", move->name);
  else if (single < 0)
    ok = isl_stat_error;
  if (ok == isl_stat_ok)
    ok = isl_union_map_foreach_map(sources.computed, add_stored, &stored);
  tsr_sources_clear(&sources);
  return ok;
}

/* { W[j] : a later original write to the same element of its access L, which must happen, has an event } */
static isl_union_set *overwritten(struct tsr_buffers *b, int stmt, int l)
{
  struct tsr_scop *scop = b->original;
  int array = scop->stmts[stmt].access[l].array;
  isl_union_map *pairs = isl_union_map_empty_ctx(scop->ctx);
  for (int i = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++) {
      if (scop->stmts[i].access[k].array != array || scop->stmts[i].access[k].kind != TSR_MUST_WRITE)
        continue;
      isl_map *map = isl_map_apply_range(tsr_relation_of(b, &scop->stmts[stmt], l),
                                         isl_map_reverse(tsr_relation_of(b, &scop->stmts[i], k)));
      isl_union_set *kept = isl_union_map_domain(isl_union_map_copy(*tsr_events_at(b->events, i, k)));
      pairs = isl_union_map_union(pairs, isl_union_map_intersect_range(isl_union_map_from_map(map), kept));
    }
  isl_schedule_node *root = isl_schedule_get_root(scop->schedule);
  pairs = tsr_tree_order_forward(root, pairs, false);
  isl_schedule_node_free(root);
  return isl_union_map_domain(pairs);
}

/* Does nobody read from memory, in the program, what the instances LOST of a statement write to ARRAY? */
static isl_bool are_unread(struct tsr_buffers *b, isl_union_set *lost, int array)
{
  struct tsr_scop *scop = b->original;
  isl_bool unread = isl_bool_true;
  for (int i = 0; i < scop->n_stmt && unread == isl_bool_true; i++)
    for (int k = 0; k < scop->stmts[i].n_access && unread == isl_bool_true; k++) {
      if (scop->stmts[i].access[k].array != array || scop->stmts[i].access[k].kind != TSR_READ)
        continue;
      isl_union_set *readers = isl_union_map_domain(isl_union_map_copy(*tsr_events_at(b->events, i, k)));
      isl_bool none = isl_union_set_is_empty(readers);
      if (none != isl_bool_false) { /* all that it reads is in buffers */
        unread = none;
        isl_union_set_free(readers);
        continue;
      }
      isl_union_map *flow = isl_union_map_intersect_range(
          original_flow(b, scop->stmts[i].access[k].array, tsr_relation_of(b, &scop->stmts[i], k), true), readers);
      isl_union_set *sources = isl_union_map_domain(flow);
      unread = isl_union_set_is_disjoint(sources, lost);
      isl_union_set_free(sources);
    }
  return unread;
}

/* Has each instance of write L of the original's statement STMT one event that is its own, unless it needs none? */
static isl_stat check_write(struct tsr_buffers *b, int stmt, int l)
{
  const struct tsr_stmt *original = &b->original->stmts[stmt];
  isl_union_map *event = *tsr_events_at(b->events, stmt, l);
  isl_bool one = isl_union_map_is_single_valued(event), own = isl_union_map_is_injective(event);
  if (one < 0 || own < 0)
    return isl_stat_error;
  if (!one || !own)
    return tsr_buffers_wrong(b, "is stored to memory more than once", original->name);
  isl_set *domain = isl_set_intersect_params(isl_set_copy(original->domain), isl_set_copy(b->known));
  isl_union_set *lost =
      isl_union_set_subtract(isl_union_set_from_set(domain), isl_union_map_domain(isl_union_map_copy(event)));
  isl_bool good = isl_union_set_is_empty(lost);
  if (good == isl_bool_false) { /* for parameters that there are? */
    lost = isl_union_set_intersect_params(lost, tsr_scop_known(b->original));
    good = isl_union_set_is_empty(lost);
  }
  if (good == isl_bool_false) {
    isl_map *relation = tsr_relation_of(b, original, l);
    good = isl_map_is_single_valued(relation); /* else all of them would have to be overwritten */
    if (good == isl_bool_true && b->original->arrays[original->access[l].array].live_out) {
      isl_union_set *dead = overwritten(b, stmt, l);
      good = isl_union_set_is_subset(lost, dead);
      isl_union_set_free(dead);
    }
    isl_map_free(relation);
    if (good == isl_bool_true)
      good = are_unread(b, lost, original->access[l].array);
  }
  isl_union_set_free(lost);
  return good < 0 ? isl_stat_error : good ? isl_stat_ok : tsr_buffers_wrong(b, "is not stored to memory", original->name);
}

/* ---- all ---- */

static isl_stat find_events(struct tsr_buffers *b)
{
  struct tsr_scop *scop = b->scop;
  isl_stat ok = tsr_check_accesses(b);
  if (ok == isl_stat_ok)
    ok = tsr_check_buffer_order(b);
  for (int i = 0; i < scop->n_stmt && ok == isl_stat_ok; i++) {
    struct tsr_stmt *stmt = &scop->stmts[i];
    if (stmt->kind == TSR_STMT_MOVE)
      ok = add_move(b, stmt);
    for (int k = 0; k < stmt->n_access && ok == isl_stat_ok && stmt->kind == TSR_STMT_COMPUTE; k++)
      ok = stmt->access[k].kind == TSR_READ ? add_read(b, stmt, k) : add_write(b, stmt, k);
  }
  for (int i = 0; i < b->original->n_stmt && ok == isl_stat_ok; i++)
    for (int k = 0; k < b->original->stmts[i].n_access && ok == isl_stat_ok; k++)
      if (b->original->stmts[i].access[k].kind != TSR_READ)
        ok = check_write(b, i, k);
  return b->wrong ? isl_stat_error : ok;
}

struct tsr_events *tsr_events_free(struct tsr_events *events)
{
  if (!events)
    return NULL;
  for (int i = 0; i < events->n; i++)
    isl_union_map_free(events->event[i]);
  free(events->event);
  free(events->first);
  free(events);
  return NULL;
}

isl_union_map **tsr_events_at(struct tsr_events *events, int stmt, int access)
{
  return &events->event[events->first[stmt] + access];
}

/* Room for those of SCOP, all empty. */
static struct tsr_events *events_alloc(struct tsr_scop *scop)
{
  struct tsr_events *events = calloc(1, sizeof(*events));
  int n = 0;
  for (int i = 0; i < scop->n_stmt; i++)
    n += scop->stmts[i].n_access;
  if (events) {
    events->first = calloc(scop->n_stmt + 1, sizeof(*events->first));
    events->event = calloc(n + 1, sizeof(*events->event));
  }
  if (!events || !events->first || !events->event)
    return tsr_events_free(events);
  for (int i = 0; i < scop->n_stmt; i++)
    events->first[i + 1] = events->first[i] + scop->stmts[i].n_access;
  for (; events->n < n; events->n++)
    events->event[events->n] = isl_union_map_empty_ctx(scop->ctx);
  return events;
}

/* requires: a well-formed program.  guarantees: see above.  on failure: NULL; *WHY says what is wrong, or isl failed. */
struct tsr_events *tsr_program_events(struct tsr_program *program, isl_set *known, char **why)
{
  struct tsr_buffers b = {.program = program, .scop = program->scop, .original = program->original, .known = known};
  b.events = events_alloc(program->original);
  b.root = isl_schedule_get_root(program->scop->schedule);
  isl_stat ok = b.events && b.root ? find_events(&b) : isl_stat_error;
  tsr_lives_free(&b);
  isl_schedule_node_free(b.root);
  if (ok == isl_stat_ok)
    return b.events;
  if (b.wrong)
    tsr_message_set(why, "%s %s", b.name, b.wrong);
  return tsr_events_free(b.events);
}
