/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Private arrays: rows and the like that each iteration of a loop fills before it reads them, so that only their storage
 * keeps its iterations apart. Each iteration gets a buffer of its own.
 *
 *   for r: { for p: sum[p] = ..sum[p]..;  for p: A[r][p] = sum[p] }
 *
 *   B(r) - X   ->   B(r), coincident - mark "allocate sum_buffer" - seq(load, X', store)           see cached_arrays.c
 *
 * Array expansion (Feautrier, Dataflow analysis of array and scalar references, 1991) by threads, which have one buffer for
 * all of their iterations; the conditions are those of array privatisation (Tu and Padua, Automatic array privatization,
 * 1993). With P the iterations of the loops around and t those of the loop itself:
 *
 *   load    { [P, t] -> A[e] : (P, t) reads e, and hasn't written it before }, none of which another (P, t') writes
 *   store   { [P, t] -> A[e] : (P, t) writes e, and no (P, t') with t' > t does }; nothing where nobody reads that
 *
 * Whether that is right, the checker finds. */
#include "access/access.h"
#include "support/message.h"
#include "tree/cached_arrays.h"
#include "tree/tree.h"
#include <isl/map.h>
#include <isl/space.h>
#include <stdlib.h>

/* ---- what is moved ---- */

/* Does access K of STMT read only what an earlier access of the same instance has written? */
static bool is_covered_within(const struct tsr_stmt *stmt, int k)
{
  for (int j = 0; j < k; j++)
    if (stmt->access[j].kind == TSR_MUST_WRITE && stmt->access[j].array == stmt->access[k].array &&
        isl_map_is_subset(stmt->access[k].relation, stmt->access[j].relation) == isl_bool_true)
      return true;
  return false;
}

/* { S -> A[e] } by accesses of KINDS in DOMAIN; no reads that are covered in their own instance. */
static isl_union_map *accesses(struct tsr_scop *scop, int array, isl_union_set *domain, unsigned kinds)
{
  isl_union_map *all = isl_union_map_empty_ctx(scop->ctx);
  for (int i = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++) {
      const struct tsr_access *access = &scop->stmts[i].access[k];
      if (access->array == array && (kinds >> access->kind & 1) &&
          !(access->kind == TSR_READ && is_covered_within(&scop->stmts[i], k)))
        all = isl_union_map_add_map(all, isl_map_copy(access->relation));
    }
  return isl_union_map_intersect_domain(all, isl_union_set_copy(domain));
}

/* PAIRS { [P, t] -> A[e] }, as one map; NULL: there are none. */
static isl_map *as_footprint(__isl_take isl_union_map *pairs)
{
  pairs = isl_union_map_coalesce(pairs);
  if (isl_union_map_is_empty(pairs) == isl_bool_false && isl_union_map_n_map(pairs) == 1)
    return isl_map_coalesce(isl_map_from_union_map(pairs));
  isl_union_map_free(pairs);
  return NULL;
}

/* { [P, t] -> A[e] } of C's reads that get no value from their own iteration. A legal tree has the order of SCOP's schedule
 * where two touch one element: that order is simpler. */
static isl_union_map *exposed_reads(struct tsr_cached *c)
{
  isl_union_set *domain = isl_union_set_intersect_params(isl_union_set_copy(c->domain), tsr_scop_common(c->scop));
  isl_union_map *reads = accesses(c->scop, c->array, domain, TSR_READS);
  isl_union_map *writes = accesses(c->scop, c->array, domain, TSR_MUST_WRITES);
  isl_union_map *pairs =
      isl_union_map_apply_range(isl_union_map_copy(writes), isl_union_map_reverse(isl_union_map_copy(reads)));
  isl_union_map *here = isl_union_map_intersect_domain(isl_union_map_copy(c->prefix), domain);
  pairs = isl_union_map_intersect(
      pairs, isl_union_map_apply_range(isl_union_map_copy(here), isl_union_map_reverse(isl_union_map_copy(here))));
  isl_schedule_node *root = isl_schedule_get_root(c->scop->schedule);
  pairs = tsr_tree_order_forward(root, pairs, false);
  isl_schedule_node_free(root);
  reads = isl_union_map_subtract(reads, isl_union_map_apply_range(isl_union_map_reverse(pairs), writes));
  return isl_union_map_apply_domain(reads, here);
}

/* { [P, t] -> [P, t'] : t' > t } of SPACE { [P, t] } */
static isl_map *later(__isl_take isl_space *space)
{
  isl_size n = isl_space_dim(space, isl_dim_set);
  isl_map *map = isl_map_lex_lt(space);
  for (int i = 0; i + 1 < n; i++)
    map = isl_map_equate(map, isl_dim_in, i, isl_dim_out, i);
  return map;
}

/* { [P, t] -> A[e] : another t' > t, EARLIER: or t' < t, of P has it in WRITTEN } */
static isl_map *written_by_others(isl_map *written, bool earlier)
{
  isl_map *others = later(isl_space_domain(isl_map_get_space(written)));
  if (earlier)
    others = isl_map_union(others, isl_map_reverse(isl_map_copy(others)));
  return isl_map_apply_range(others, isl_map_copy(written));
}

/* Is ARRAY read outside of DOMAIN, or behind the SCoP? */
static bool is_read_elsewhere(struct tsr_scop *scop, int array, isl_union_set *domain)
{
  bool is = scop->arrays[array].live_out;
  for (int i = 0; i < scop->n_stmt && !is; i++)
    for (int k = 0; k < scop->stmts[i].n_access && !is; k++) {
      isl_union_set *own = isl_union_set_from_set(isl_set_copy(scop->stmts[i].domain));
      bool reads = scop->stmts[i].access[k].array == array && scop->stmts[i].access[k].kind == TSR_READ;
      is = reads && isl_union_set_is_subset(own, domain) != isl_bool_true;
      isl_union_set_free(own);
    }
  return is;
}

/* What is moved, as said above. */
static bool choose_moves(struct tsr_cached *c)
{
  const char *name = c->scop->arrays[c->array].name;
  if (!c->written) {
    tsr_message_set(c->why, "%s isn't written there", name);
    return false;
  }
  isl_map_free(c->load);
  c->load = as_footprint(exposed_reads(c));
  if (c->load) {
    isl_map *others = written_by_others(c->written, true);
    bool apart = isl_map_is_disjoint(c->load, others) == isl_bool_true;
    isl_map_free(others);
    if (!apart) {
      tsr_message_set(c->why, "iterations get values of %s from others", name);
      return false;
    }
  }
  c->store = isl_map_subtract(c->store, written_by_others(c->written, false));
  if (!c->load && !is_read_elsewhere(c->scop, c->array, c->domain))
    c->store = isl_map_free(c->store);
  return isl_ctx_last_error(c->scop->ctx) == isl_error_none;
}

struct tsr_program *tsr_program_privatise(struct tsr_program *program, isl_schedule_node *below, int array, char **why)
{
  struct tsr_cached c = {.array = array, .why = why};
  isl_schedule_node *node = isl_schedule_node_parent(isl_schedule_node_copy(below));
  int last = isl_schedule_node_band_n_member(node) - 1;
  node = isl_schedule_node_band_member_set_coincident(node, last, 1);
  node = isl_schedule_node_band_member_set_ast_loop_type(node, last, isl_ast_loop_atomic); /* its last iteration, too */
  node = isl_schedule_node_child(node, 0);
  program = tsr_program_set_tree(program, isl_schedule_node_get_schedule(node));
  program = tsr_cache_run(&c, program, node, TSR_SPACE_STACK, choose_moves);
  isl_schedule_node_free(node);
  return program;
}

/* ---- which loops, and which arrays? ---- */

/* Are accesses to ARRAY below the loop of member 0 of BAND such that iterations may have it for themselves? */
static bool may_be_private(isl_schedule_node *band, struct tsr_scop *scop, int array)
{
  struct tsr_cached c = {.scop = scop, .array = array, .n_dim = scop->arrays[array].n_dim};
  isl_schedule_node *node = isl_schedule_node_copy(band);
  if (isl_schedule_node_band_n_member(node) > 1)
    node = isl_schedule_node_band_split(node, 1);
  node = isl_schedule_node_child(node, 0);
  c.domain = isl_schedule_node_get_domain(node);
  c.prefix = isl_schedule_node_get_prefix_schedule_union_map(node);
  bool may = scop->arrays[array].space == TSR_SPACE_PROGRAM && tsr_cache_is_possible(&c);
  if (may) {
    c.read = tsr_cache_footprint(&c, TSR_READS);
    c.written = tsr_cache_footprint(&c, TSR_WRITES);
    c.store = isl_map_copy(c.written);
    may = choose_moves(&c) && tsr_cache_find_box(&c);
  }
  tsr_cache_clear(&c);
  isl_schedule_node_free(node);
  return may;
}

/* Is the loop of member 0 of BAND one for threads but for arrays that may be private? These are flagged in MEMORY. */
static bool is_private_loop(isl_schedule_node *band, struct tsr_scop *scop, bool *memory)
{
  bool *apart = calloc((size_t)scop->n_array + 1, sizeof(*apart)), any = false;
  bool good = apart && tsr_node_may_have_threads(band, scop) && tsr_band_conflicts(band, scop, memory) == isl_bool_true &&
              tsr_node_allocates(band, scop, apart) == isl_stat_ok;
  for (int i = 0; i < scop->n_array && good; i++) {
    memory[i] &= !apart[i];
    apart[i] |= memory[i];
    good = !memory[i] || may_be_private(band, scop, i);
    any |= memory[i];
  }
  good = good && any && tsr_band_is_parallel_apart(band, scop, TSR_ANY_ARRAY, apart, NULL) == isl_bool_true;
  free(apart);
  return good;
}

/* The node below the first such loop at NODE or below it, outside of loops that threads can share as they are; NULL: there
 * is none. */
static isl_schedule_node *find_loop(__isl_take isl_schedule_node *node, struct tsr_scop *scop, bool *memory)
{
  bool band = isl_schedule_node_get_type(node) == isl_schedule_node_band, shared = tsr_node_is_for_threads(node);
  if (shared || tsr_node_is_mark(node, TSR_MARK_REGISTERS) || tsr_node_is_mark(node, TSR_MARK_LOCKSTEP))
    return isl_schedule_node_free(node);
  for (int i = 0; band && i < isl_schedule_node_band_n_member(node) && !shared; i++) {
    isl_schedule_node *rest = isl_schedule_node_copy(node);
    if (i > 0)
      rest = isl_schedule_node_child(isl_schedule_node_band_split(rest, i), 0);
    shared = tsr_node_is_loop_for_threads(rest, scop);
    if (!shared && is_private_loop(rest, scop, memory)) {
      isl_schedule_node_free(node);
      if (isl_schedule_node_band_n_member(rest) > 1)
        rest = isl_schedule_node_band_split(rest, 1);
      return isl_schedule_node_child(rest, 0);
    }
    isl_schedule_node_free(rest);
  }
  isl_schedule_node *found = NULL;
  for (int i = 0; i < isl_schedule_node_n_children(node) && !shared && !found; i++)
    found = find_loop(isl_schedule_node_get_child(node, i), scop, memory);
  isl_schedule_node_free(node);
  return found;
}

/* PROGRAM with one private array more; *ARRAY: which, -1: there is none left, or isl failed. */
static struct tsr_program *privatise_next(__isl_take struct tsr_program *program, int *array)
{
  int n = program->scop->n_array;
  bool *memory = calloc((size_t)n + 1, sizeof(*memory));
  isl_schedule_node *below = memory ? find_loop(isl_schedule_get_root(program->tree), program->scop, memory) : NULL;
  *array = -1;
  for (int i = 0; i < n && below && *array < 0; i++)
    if (memory[i])
      *array = i;
  if (*array >= 0)
    program = tsr_program_privatise(program, below, *array, NULL);
  isl_schedule_node_free(below);
  free(memory);
  return program;
}

struct tsr_program *tsr_program_private_arrays(struct tsr_program *program)
{
  int array = 0;
  for (int n = 0; program && array >= 0; n++) {
    program = privatise_next(program, &array);
    if (array < 0 && n == 0)
      program = tsr_program_free(program);
  }
  return program;
}
