/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What each access of a transformed program may be, whatever its value is:
 *
 *   COMPUTE, to memory     that of its original
 *   COMPUTE, to a buffer   of one element, where the original's is; a write must happen. A read may be of one of several
 *                          elements, as data says, if it is that in the original
 *   MOVE, from memory      an element that the original touches for sure: it can be loaded. (A move to memory stores what
 *                          the original does: check_buffers.c)
 *   any, to a buffer       an element that there is, of the size of what it stands for, below the mark that allocates it
 *
 * Within an instance accesses are in their order; so what an original instance writes and then reads, or writes again, must
 * not be in a buffer. */
#include "access/access.h"
#include "check/check_buffers.h"
#include <isl/space.h>
#include <stdlib.h>

/* Of so many elements, but for one, data may say which is read from a buffer: each is proved. */
#define MOST_LOOSE 32

isl_stat tsr_buffers_wrong(struct tsr_buffers *b, const char *what, const char *name)
{
  if (!b->wrong) {
    b->wrong = what;
    b->name = name;
  }
  return isl_stat_error;
}

/* HOLDS, or WHAT is wrong with NAME. */
static isl_stat require(struct tsr_buffers *b, isl_bool holds, const char *what, const char *name)
{
  if (holds < 0)
    return isl_stat_error;
  return holds ? isl_stat_ok : tsr_buffers_wrong(b, what, name);
}

isl_map *tsr_relation_of(struct tsr_buffers *b, const struct tsr_stmt *stmt, int k)
{
  isl_map *map = isl_map_intersect_domain(isl_map_copy(stmt->access[k].relation), isl_set_copy(stmt->domain));
  return isl_map_intersect_params(map, isl_set_copy(b->known));
}

isl_map *tsr_origin_of(struct tsr_buffers *b, const struct tsr_stmt *stmt)
{
  isl_map *origin =
      stmt->origin ? isl_map_copy(stmt->origin) : isl_map_identity(isl_space_map_from_set(isl_set_get_space(stmt->domain)));
  origin = isl_map_intersect_domain(origin, isl_set_copy(stmt->domain));
  return isl_map_intersect_params(origin, isl_set_copy(b->known));
}

isl_map *tsr_original_function(const struct tsr_buffers *b, const struct tsr_stmt *stmt, int k)
{
  const struct tsr_stmt *original = &b->original->stmts[tsr_stmt_original(b->program, stmt)];
  bool plain = !stmt->origin || isl_map_plain_is_single_valued(stmt->origin) == isl_bool_true;
  return plain ? original->access[k].relation : NULL;
}

isl_map *tsr_original_relation(struct tsr_buffers *b, const struct tsr_stmt *stmt, int k)
{
  const struct tsr_stmt *original = &b->original->stmts[tsr_stmt_original(b->program, stmt)];
  return isl_map_apply_range(tsr_origin_of(b, stmt), isl_map_copy(original->access[k].relation));
}

/* ---- COMPUTE ---- */

/* Are STMT's instances, if they have no origin but themselves, the original's? */
static isl_stat check_instances(struct tsr_buffers *b, const struct tsr_stmt *stmt)
{
  if (stmt->origin)
    return isl_stat_ok; /* tsr_program_validate */
  isl_set *original = b->original->stmts[tsr_stmt_original(b->program, stmt)].domain;
  isl_bool inside = isl_set_plain_is_equal(stmt->domain, original);
  if (inside == isl_bool_false) {
    isl_set *domain = isl_set_intersect_params(isl_set_copy(stmt->domain), isl_set_copy(b->known));
    inside = isl_set_is_subset(domain, original);
    isl_set_free(domain);
  }
  return require(b, inside, "has instances that the original doesn't have", stmt->name);
}

/* Is access K of STMT, to memory, the original's? */
static isl_stat check_memory_access(struct tsr_buffers *b, const struct tsr_stmt *stmt, int k)
{
  isl_map *relation = tsr_relation_of(b, stmt, k), *wanted = tsr_original_relation(b, stmt, k);
  isl_bool same = isl_map_plain_is_equal(relation, wanted);
  if (same == isl_bool_false)
    same = isl_map_is_equal(relation, wanted);
  isl_map_free(relation);
  isl_map_free(wanted);
  return require(b, same, "accesses another element than its origin", stmt->name);
}

/* Is access K of STMT, to a buffer, of one element for each that the original accesses? Of a read data may say one
 * subscript, in both the same. */
static isl_stat check_single(struct tsr_buffers *b, const struct tsr_stmt *stmt, int k)
{
  isl_map *relation = tsr_relation_of(b, stmt, k), *wanted = tsr_original_relation(b, stmt, k);
  struct tsr_loose own, original = {NULL, -1, 0};
  isl_bool single = tsr_access_loose(relation, stmt->access[k].relation, &own);
  if (single == isl_bool_true)
    single = tsr_access_loose(wanted, tsr_original_function(b, stmt, k), &original);
  if (single == isl_bool_true)
    single = isl_bool_ok(own.subscript == original.subscript && own.extent == original.extent &&
                         (own.subscript < 0 || (stmt->access[k].kind == TSR_READ && own.extent <= MOST_LOOSE)));
  tsr_loose_clear(&own);
  tsr_loose_clear(&original);
  isl_set *now = isl_map_domain(relation), *then = isl_map_domain(wanted);
  isl_bool where = isl_set_is_equal(now, then);
  isl_set_free(now);
  isl_set_free(then);
  int array = b->original->stmts[tsr_stmt_original(b->program, stmt)].access[k].array;
  if (b->scop->arrays[stmt->access[k].array].elem_size != b->original->arrays[array].elem_size)
    return tsr_buffers_wrong(b, "uses a buffer with elements of another size", stmt->name);
  isl_stat ok = require(b, single, "accesses several elements at once, one of them by a buffer", stmt->name);
  return ok < 0 ? ok
                : require(b, where, "accesses a buffer where its original doesn't access memory, or not there", stmt->name);
}

/* Does the original of STMT, in one instance, access an element that it has written before, or write it again, by ACCESS
 * or another that is to a buffer? */
static isl_stat check_rewritten(struct tsr_buffers *b, const struct tsr_stmt *stmt)
{
  const struct tsr_stmt *original = &b->original->stmts[tsr_stmt_original(b->program, stmt)];
  for (int k = 0; k < stmt->n_access; k++)
    for (int l = k + 1; l < stmt->n_access && original->access[k].kind != TSR_READ; l++) {
      if (original->access[k].array != original->access[l].array ||
          !(tsr_is_buffer(b, stmt->access[k].array) || tsr_is_buffer(b, stmt->access[l].array)))
        continue;
      isl_map *first = tsr_relation_of(b, original, k), *second = tsr_relation_of(b, original, l);
      isl_bool apart = isl_map_is_disjoint(first, second);
      isl_map_free(first);
      isl_map_free(second);
      if (require(b, apart, "accesses an element again that it has written, one of both times in a buffer", stmt->name) < 0)
        return isl_stat_error;
    }
  return isl_stat_ok;
}

/* COMPUTE statement STMT. Those with SCALAR arrays that the program sees are the original's, each instance once. */
static isl_stat check_compute(struct tsr_buffers *b, const struct tsr_stmt *stmt)
{
  int n_buffer = 0;
  isl_stat ok = check_instances(b, stmt);
  for (int k = 0; k < stmt->n_access && ok == isl_stat_ok; k++) {
    const struct tsr_access *access = &stmt->access[k];
    if (b->scop->arrays[access->array].kind == TSR_ARRAY_SCALAR && stmt->origin && !b->value[access->array])
      return tsr_buffers_wrong(b, "is recomputed, but uses scalars that are needed behind the SCoP", stmt->name);
    if (!tsr_is_buffer(b, access->array)) {
      ok = check_memory_access(b, stmt, k);
      continue;
    }
    n_buffer++;
    ok = check_single(b, stmt, k);
    if (access->kind == TSR_MAY_WRITE)
      return tsr_buffers_wrong(b, "only may write an element of a buffer", stmt->name);
  }
  return ok == isl_stat_ok && n_buffer ? check_rewritten(b, stmt) : ok;
}

/* ---- MOVE ---- */

/* { A[e] } of ARRAY, all elements that the original loads or stores for sure. */
static isl_set *find_touched(struct tsr_buffers *b, int array)
{
  isl_space *space = isl_set_get_space(b->scop->arrays[array].extent);
  isl_set *all = isl_set_empty(space);
  for (int i = 0; i < b->original->n_stmt; i++)
    for (int k = 0; k < b->original->stmts[i].n_access; k++) {
      const struct tsr_access *access = &b->original->stmts[i].access[k];
      if (access->array != array || access->kind == TSR_MAY_WRITE || access->maybe)
        continue;
      isl_map *relation = tsr_relation_of(b, &b->original->stmts[i], k);
      if (access->kind == TSR_READ && isl_map_is_single_valued(relation) != isl_bool_true)
        isl_map_free(relation);
      else
        all = isl_set_union(all, isl_map_range(relation));
    }
  return isl_set_coalesce(all);
}

/* The same, which is kept. */
static isl_set *touched(struct tsr_buffers *b, int array)
{
  if (!b->touched[array])
    b->touched[array] = find_touched(b, array);
  return b->touched[array];
}

/* Does MOVE load only what can be loaded? */
static isl_stat check_move(struct tsr_buffers *b, const struct tsr_stmt *move)
{
  int from = move->access[0].array;
  for (int k = 0; k < 2; k++)
    if (b->scop->arrays[move->access[k].array].kind == TSR_ARRAY_SCALAR)
      return tsr_buffers_wrong(b, "moves a scalar", move->name);
  if (b->scop->arrays[from].elem_size != b->scop->arrays[move->access[1].array].elem_size)
    return tsr_buffers_wrong(b, "moves to elements of another size", move->name);
  if (tsr_is_buffer(b, from))
    return isl_stat_ok;
  if (from >= b->original->n_array)
    return tsr_buffers_wrong(b, "moves from an array that the original doesn't have", move->name);
  isl_set *loaded = isl_map_range(tsr_relation_of(b, move, 0));
  isl_bool all = isl_set_is_subset(loaded, touched(b, from));
  isl_set_free(loaded);
  return require(b, all, "loads what the original may not touch", move->name);
}

/* ---- buffers ---- */

/* What find_mark works on. */
struct search {
  struct tsr_buffers *b;
  bool *named;
};

/* Note the mark NODE for the buffers that it allocates. */
static isl_bool find_mark(isl_schedule_node *node, void *user)
{
  struct search *search = user;
  struct tsr_buffers *b = search->b;
  const struct tsr_mark *mark = tsr_node_mark(node);
  bool is = tsr_mark_is(mark, TSR_MARK_ALLOCATE) && tsr_mark_arrays(mark, b->scop, search->named);
  for (int i = 0; i < b->scop->n_array && is; i++) {
    if (!search->named[i])
      continue;
    if (b->life[i].mark) {
      tsr_buffers_wrong(b, "is allocated by several marks", b->scop->arrays[i].name);
      return isl_bool_error;
    }
    b->life[i].mark = isl_schedule_node_copy(node);
    if (isl_schedule_node_get_schedule_depth(node) > 0)
      b->life[i].time = isl_schedule_node_get_prefix_schedule_union_map(node);
  }
  return isl_bool_true;
}

static isl_stat find_lives(struct tsr_buffers *b)
{
  struct search search = {b, calloc(b->scop->n_array + 1, sizeof(bool))};
  b->life = calloc(b->scop->n_array + 1, sizeof(*b->life));
  b->touched = calloc(b->original->n_array + 1, sizeof(isl_set *));
  isl_stat ok = search.named && b->life && b->touched
                    ? isl_schedule_node_foreach_descendant_top_down(b->root, find_mark, &search)
                    : isl_stat_error;
  free(search.named);
  return ok;
}

void tsr_lives_free(struct tsr_buffers *b)
{
  for (int i = 0; i < b->scop->n_array && b->life; i++) {
    isl_schedule_node_free(b->life[i].mark);
    isl_union_map_free(b->life[i].time);
    isl_union_map_free(b->life[i].names);
    isl_union_map_free(b->life[i].named);
    struct tsr_writers *writers[] = {&b->life[i].all, &b->life[i].moves, &b->life[i].computes};
    for (int k = 0; k < 3; k++) {
      isl_union_map_free(writers[k]->writes);
      isl_union_map_free(writers[k]->around);
    }
  }
  for (int i = 0; i < b->original->n_array && b->touched; i++)
    isl_set_free(b->touched[i]);
  free(b->touched);
  free(b->life);
  free(b->value);
  b->touched = NULL;
  b->life = NULL;
  b->value = NULL;
  b->fetched = isl_union_map_free(b->fetched);
}

/* Which SCALAR arrays are values of statements that run again? */
static isl_stat find_values(struct tsr_buffers *b)
{
  b->value = calloc(b->scop->n_array + 1, sizeof(*b->value));
  for (int i = 0; i < b->scop->n_stmt && b->value; i++)
    for (int k = 0; k < b->scop->stmts[i].n_access && b->scop->stmts[i].origin; k++) {
      int array = b->scop->stmts[i].access[k].array;
      b->value[array] = b->scop->arrays[array].kind == TSR_ARRAY_SCALAR && !b->scop->arrays[array].live_out;
    }
  return b->value ? isl_stat_ok : isl_stat_error;
}

/* Are the elements of buffer ARRAY in memory, numbered from 0, up to some number? A value has one. */
static isl_stat check_extent(struct tsr_buffers *b, int number)
{
  const struct tsr_array *array = &b->scop->arrays[number];
  if (b->value[number])
    return isl_stat_ok;
  if (array->kind != TSR_ARRAY_MEMORY)
    return tsr_buffers_wrong(b, "is a scalar, not a buffer", array->name);
  isl_bool good = isl_bool_true;
  for (int d = 0; d < array->n_dim && good == isl_bool_true; d++) {
    isl_set *below = isl_set_upper_bound_si(isl_set_copy(array->extent), isl_dim_set, d, -1);
    good = isl_set_is_empty(below);
    isl_set_free(below);
    if (good == isl_bool_true)
      good = isl_set_dim_has_upper_bound(array->extent, isl_dim_set, d);
  }
  return require(b, good, "has elements below 0, or any number of them", array->name);
}

/* Does STMT run below NODE alone? */
static isl_bool is_below(const struct tsr_stmt *stmt, isl_schedule_node *node)
{
  isl_union_set *below = isl_schedule_node_get_domain(node);
  isl_set *own = isl_union_set_extract_set(below, isl_set_get_space(stmt->domain));
  isl_bool all = isl_set_plain_is_equal(stmt->domain, own);
  if (all == isl_bool_false)
    all = isl_set_is_subset(stmt->domain, own);
  isl_set_free(own);
  isl_union_set_free(below);
  return all;
}

/* Are ELEMENTS in EXTENT? Where what the checker goes by doesn't tell, all that is known of the parameters may. Takes
 * ELEMENTS. */
static isl_bool are_inside(struct tsr_buffers *b, __isl_take isl_set *elements, isl_set *extent)
{
  isl_bool inside = isl_set_is_subset(elements, extent);
  if (inside == isl_bool_false) {
    elements = isl_set_intersect_params(elements, tsr_scop_known(b->original));
    inside = isl_set_is_subset(elements, extent);
  }
  isl_set_free(elements);
  return inside;
}

/* Are all accesses to buffer ARRAY to elements that it has, while it lives? */
static isl_stat check_uses(struct tsr_buffers *b, int array)
{
  const struct tsr_array *buffer = &b->scop->arrays[array];
  isl_schedule_node *mark = b->life[array].mark;
  isl_stat ok = isl_stat_ok;
  for (int i = 0; i < b->scop->n_stmt && ok == isl_stat_ok; i++) {
    const struct tsr_stmt *stmt = &b->scop->stmts[i];
    bool uses = false;
    for (int k = 0; k < stmt->n_access && ok == isl_stat_ok; k++) {
      if (stmt->access[k].array != array)
        continue;
      uses = true;
      isl_bool inside = are_inside(b, isl_map_range(tsr_relation_of(b, stmt, k)), buffer->extent);
      ok = require(b, inside, "is used beyond its elements", buffer->name);
    }
    if (ok == isl_stat_ok && uses && mark)
      ok = require(b, is_below(stmt, mark), "is used outside of its lifetime", buffer->name);
  }
  return ok;
}

/* ---- all ---- */

/* Does the program know what the original knows, and no more? */
static isl_stat check_known(struct tsr_buffers *b)
{
  isl_set *known = tsr_scop_known(b->scop), *then = tsr_scop_known(b->original);
  isl_bool same = isl_set_plain_is_equal(known, then);
  if (same == isl_bool_false)
    same = isl_set_is_equal(known, then);
  isl_set_free(known);
  isl_set_free(then);
  return require(b, same, "assumes something else than the original", b->scop->name);
}

isl_stat tsr_check_accesses(struct tsr_buffers *b)
{
  isl_stat ok = check_known(b);
  if (ok == isl_stat_ok)
    ok = find_values(b);
  if (ok == isl_stat_ok)
    ok = find_lives(b);
  for (int i = 0; i < b->scop->n_stmt && ok == isl_stat_ok; i++) {
    const struct tsr_stmt *stmt = &b->scop->stmts[i];
    ok = stmt->kind == TSR_STMT_COMPUTE ? check_compute(b, stmt)
         : stmt->kind == TSR_STMT_MOVE  ? check_move(b, stmt)
                                        : isl_stat_ok;
  }
  for (int i = 0; i < b->scop->n_array && ok == isl_stat_ok; i++) {
    if (!tsr_is_buffer(b, i))
      continue;
    ok = check_extent(b, i);
    if (ok == isl_stat_ok)
      ok = check_uses(b, i);
  }
  return ok;
}
