/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A producer computed where it is used: fusion after tiling with overlapped tiles (zhao-di-micro20, section III; Halide's
 * compute_at).
 *
 *   seq(S: X[w(i)] = .., B(t) - T: .. X[..])
 *   ->
 *   seq(S', B(t) - mark "allocate P" - E - seq(In(e), S_at(i), Out(e), T'))
 *
 * F(t) { [t] -> X[e] }     what an iteration t of the loops around reads of X; P is a box around it (cached_arrays.c)
 * N(t) { [t] -> S[i] }     the extension schedule: S's instances that write it, F(t) composed with the inverse of S's write
 * S_at(t, i)               recomputes S[i] into P, for all of N(t): neighbouring t overlap
 * Out(t, e)                stores from P to X what the first t computes that needs it: each element of X is stored once. If
 *                          X is dead behind the SCoP, only what others read of X; there may be no such move then
 * In(t, e)                 loads from X what S doesn't write of F(t)
 * S'                       the instances of S that no t needs, but others do, or whoever comes behind the SCoP
 *
 * Whether S, so late, still reads what it should, the checker finds. */
#include "support/message.h"
#include "tree/cached_arrays.h"
#include <isl/space.h>
#include <stdlib.h>
#include <string.h>

struct producer {
  struct tsr_cached cache;
  int stmt, write; /* of the program's SCoP, of the statement's accesses */
  isl_map *writes; /* { S[i] -> X[e] } */
  isl_map *needed; /* { [t] -> S[i] } */
  isl_map *owned;  /* { [t] -> S[i] : t is the first that needs S[i], and X must have what it writes } */
  isl_set *last;   /* { S[i] : X must have what it writes } */
};

static void producer_clear(struct producer *p)
{
  tsr_cache_clear(&p->cache);
  isl_map_free(p->writes);
  isl_map_free(p->needed);
  isl_map_free(p->owned);
  isl_set_free(p->last);
}

/* Find the only write of the producer: to an array that nobody else writes, an element of its own for each instance. */
static bool find_write(struct producer *p, char **why)
{
  struct tsr_scop *scop = p->cache.scop;
  struct tsr_stmt *stmt = &scop->stmts[p->stmt];
  p->write = -1;
  for (int k = 0; k < stmt->n_access; k++) {
    if (scop->arrays[stmt->access[k].array].kind == TSR_ARRAY_SCALAR)
      p->write = -2;
    if (stmt->access[k].kind != TSR_READ)
      p->write = p->write == -1 && stmt->access[k].kind == TSR_MUST_WRITE ? k : -2;
  }
  if (p->write < 0) {
    tsr_message_set(why, "%s doesn't write just one element, or it uses scalars: it can't be computed again", stmt->name);
    return false;
  }
  int array = stmt->access[p->write].array;
  for (int s = 0; s < scop->n_stmt; s++)
    for (int k = 0; k < scop->stmts[s].n_access; k++)
      if (scop->stmts[s].access[k].array == array && ((s == p->stmt) != (scop->stmts[s].access[k].kind != TSR_READ))) {
        tsr_message_set(why, "%s %s %s: it can't be computed again", scop->stmts[s].name, s == p->stmt ? "reads" : "writes",
                        scop->arrays[array].name);
        return false;
      }
  p->cache.array = array;
  p->cache.n_dim = scop->arrays[array].n_dim;
  p->writes = isl_map_intersect_domain(isl_map_copy(stmt->access[p->write].relation), isl_set_copy(stmt->domain));
  isl_bool own = isl_map_is_injective(p->writes);
  if (own == isl_bool_false)
    tsr_message_set(why, "several instances of %s write one element of %s", stmt->name, scop->arrays[array].name);
  return own == isl_bool_true;
}

/* { S[i] } of which the array must have the element: all, or, if that is dead behind the SCoP, those that others read which
 * don't run below the node. */
static isl_set *find_lasting(struct producer *p)
{
  struct tsr_scop *scop = p->cache.scop;
  isl_set *all = isl_map_domain(isl_map_copy(p->writes)), *read = isl_set_empty(isl_set_get_space(all));
  if (scop->arrays[p->cache.array].live_out)
    return isl_set_free(read), all;
  for (int s = 0; s < scop->n_stmt && read; s++) {
    bool part;
    isl_bool below = tsr_cache_runs_below(&p->cache, &scop->stmts[s], &part);
    if (below < 0)
      read = isl_set_free(read);
    for (int k = 0; k < scop->stmts[s].n_access && read && (!below || part); k++)
      if (scop->stmts[s].access[k].array == p->cache.array && scop->stmts[s].access[k].kind == TSR_READ) {
        isl_set *elements =
            isl_set_apply(isl_set_copy(scop->stmts[s].domain), isl_map_copy(scop->stmts[s].access[k].relation));
        read = isl_set_union(read, isl_set_apply(elements, isl_map_reverse(isl_map_copy(p->writes))));
      }
  }
  return isl_set_coalesce(isl_set_intersect(all, read));
}

/* N and who stores what. */
static bool find_instances(struct producer *p, char **why)
{
  p->needed = isl_map_coalesce(isl_map_apply_range(isl_map_copy(p->cache.read), isl_map_reverse(isl_map_copy(p->writes))));
  p->last = find_lasting(p);
  isl_map *first = isl_map_intersect_range(isl_map_copy(p->needed), isl_set_copy(p->last));
  first = isl_map_lexmin(isl_map_reverse(first));
  p->owned = isl_map_coalesce(isl_map_reverse(first));
  isl_bool none = isl_map_is_empty(p->needed);
  if (none == isl_bool_true)
    tsr_message_set(why, "nothing there reads what %s writes", p->cache.scop->stmts[p->stmt].name);
  return none == isl_bool_false && p->owned;
}

/* S_at: the producer's statement again, for MAP { [[t] -> X[e]] -> P[b] }. */
static void make_copy(struct producer *p, struct tsr_program *program, isl_map *map, struct tsr_added_stmt *copy,
                      isl_schedule_node **graft)
{
  const struct tsr_stmt *stmt = &p->cache.scop->stmts[p->stmt];
  char lead[64];
  snprintf(lead, sizeof(lead), "%.40s_at", stmt->name);
  *copy = (struct tsr_added_stmt){.kind = TSR_STMT_COMPUTE,
                                  .n_access = stmt->n_access,
                                  .access = calloc(stmt->n_access, sizeof(struct tsr_added_access))};
  tsr_program_new_name(program, lead, copy->name, sizeof(copy->name));
  isl_map *pairs = isl_set_identity(isl_map_wrap(isl_map_copy(p->needed))); /* { [t -> S] -> [t -> S] } */
  isl_map *origin = isl_map_apply_range(isl_map_copy(pairs), isl_map_range_map(isl_map_copy(p->needed)));
  copy->origin = isl_map_set_tuple_name(isl_map_flatten_domain(isl_map_copy(origin)), isl_dim_in, copy->name);
  for (int k = 0; k < stmt->n_access; k++) {
    isl_map *relation = isl_map_apply_range(isl_map_copy(origin), isl_map_copy(stmt->access[k].relation));
    if (k == p->write) { /* { [t -> S] -> [t -> X] -> P } */
      isl_map *time = isl_map_apply_range(isl_map_copy(pairs), isl_map_domain_map(isl_map_copy(p->needed)));
      relation = isl_map_apply_range(isl_map_range_product(time, relation), isl_map_copy(map));
    }
    relation = isl_map_set_tuple_name(isl_map_flatten_domain(relation), isl_dim_in, copy->name);
    copy->access[k] = (struct tsr_added_access){stmt->access[k].kind, relation};
  }
  isl_map_free(pairs);
  isl_map_free(origin);
  *graft = tsr_cache_graft(isl_map_set_tuple_name(isl_map_copy(p->needed), isl_dim_out, copy->name));
}

/* The moves and the copy in front of NODE, which stands below the mark; their number. */
static int insert_all(struct producer *p, struct tsr_program *program, isl_map *map, isl_schedule_node **node,
                      struct tsr_added_stmt added[3])
{
  int n = 0;
  isl_schedule_node *graft;
  isl_set *written = isl_map_range(isl_map_copy(p->writes));
  isl_map *others = isl_map_subtract_range(isl_map_copy(p->cache.read), written);
  if (isl_map_is_empty(others) == isl_bool_false) {
    tsr_cache_make_move(&p->cache, program, others, map, true, &added[n++], &graft);
    *node = isl_schedule_node_graft_before(*node, graft);
  }
  isl_map_free(others);
  make_copy(p, program, map, &added[n++], &graft);
  *node = isl_schedule_node_graft_before(*node, graft);
  isl_map *stored = isl_map_coalesce(isl_map_apply_range(isl_map_copy(p->owned), isl_map_copy(p->writes)));
  if (isl_map_is_empty(stored) == isl_bool_false) {
    tsr_cache_make_move(&p->cache, program, stored, map, false, &added[n++], &graft);
    *node = isl_schedule_node_graft_before(*node, graft);
  }
  isl_map_free(stored);
  return n;
}

/* The buffer is array number BUFFER of PROGRAM. */
static struct tsr_program *insert_producer(struct producer *p, __isl_take struct tsr_program *program,
                                           __isl_take isl_schedule_node *node, int buffer)
{
  struct tsr_added_stmt added[3];
  isl_map *map = tsr_cache_to_buffer(&p->cache, p->cache.read, program->scop->arrays[buffer].name);
  isl_set *needed = isl_map_range(isl_map_copy(p->needed));
  isl_set *rest = isl_set_subtract(isl_set_copy(p->last), needed);
  program = tsr_cache_redirect(&p->cache, program, map);
  node = tsr_cache_allocate(node, program, buffer);
  node = isl_schedule_node_child(node, 0);
  int n = program ? insert_all(p, program, map, &node, added) : 0;
  isl_schedule *tree = isl_schedule_node_get_schedule(node);
  isl_schedule_node_free(node);
  isl_map_free(map);
  if (!program) {
    isl_schedule_free(tree);
    isl_set_free(rest);
    return NULL;
  }
  program = tsr_program_extend(program, tree, added, n);
  isl_set **domain = program ? calloc(program->scop->n_stmt, sizeof(*domain)) : NULL;
  if (!domain) {
    isl_set_free(rest);
    return tsr_program_free(program);
  }
  domain[p->stmt] = isl_set_coalesce(rest);
  program = tsr_program_restrict(program, domain);
  free(domain);
  return program;
}

/* Can it be? Then all that PRODUCER needs is found. */
static bool prepare(struct producer *p, char **why)
{
  bool part;
  struct tsr_cached *c = &p->cache;
  const struct tsr_stmt *stmt = &c->scop->stmts[p->stmt];
  if (stmt->kind != TSR_STMT_COMPUTE || stmt->origin) {
    tsr_message_set(why, "%s is no statement of the source", stmt->name);
    return false;
  }
  if (tsr_cache_runs_below(c, stmt, &part) != isl_bool_false) {
    tsr_message_set(why, "%s runs in this loop already", stmt->name);
    return false;
  }
  if (!find_write(p, why) || !tsr_cache_is_possible(c))
    return false;
  c->read = tsr_cache_footprint(c, TSR_READS);
  if (!c->read) {
    tsr_message_set(why, "nothing there reads %s, which %s writes", c->scop->arrays[c->array].name, stmt->name);
    return false;
  }
  return tsr_cache_find_box(c) && find_instances(p, why);
}

/* requires: NODE is of PROGRAM's tree, which has no extensions.  on failure: NULL, the program goes. */
struct tsr_program *tsr_program_compute_at(struct tsr_program *program, isl_schedule_node *node, int producer,
                                           enum tsr_space space, char **why)
{
  struct producer p = {.cache = {.program = program, .scop = program->scop, .why = why}, .stmt = producer};
  struct tsr_program *result = NULL;
  int buffer = -1;
  p.cache.domain = isl_schedule_node_get_domain(node);
  p.cache.prefix = isl_schedule_node_get_prefix_schedule_union_map(node);
  if (prepare(&p, why)) {
    char lead[64];
    const struct tsr_array *array = &p.cache.scop->arrays[p.cache.array];
    snprintf(lead, sizeof(lead), "%.50s_buffer", array->name);
    result =
        tsr_program_add_array(tsr_program_copy(program), lead, space, array->elem_size, isl_set_copy(p.cache.box), &buffer);
    if (result)
      result = insert_producer(&p, result, isl_schedule_node_copy(node), buffer);
  }
  producer_clear(&p);
  tsr_program_free(program);
  return result;
}
