/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Transformed programs: construction and well-formedness.
 *
 *   original ──┐                  tree          D(S) - B(t) - E({ [t] -> M[e] }) - ..
 *              └── scop           schedule      D(S, M[t, e]) - B(t) - ..                      the tree, expanded
 *                                 stmts         S, with accesses to buffers;  M, a move
 *                                 arrays        those of the original, then buffers
 *
 * Programs are immutable to those who share them: each function takes a reference and copies what it changes unless nobody
 * else has one. */
#include "model/program.h"
#include <isl/id.h>
#include <isl/space.h>
#include <stdlib.h>
#include <string.h>

/* ---- copies ---- */

struct tsr_program *tsr_program_alloc(struct tsr_scop *original, isl_schedule *tree)
{
  struct tsr_program *program = tree ? calloc(1, sizeof(*program)) : NULL;
  if (!program) {
    isl_schedule_free(tree);
    return NULL;
  }
  *program = (struct tsr_program){.ref = 1, .original = original, .scop = original, .tree = tree};
  return program;
}

struct tsr_program *tsr_program_copy(struct tsr_program *program)
{
  if (program)
    program->ref++;
  return program;
}

struct tsr_program *tsr_program_free(struct tsr_program *program)
{
  if (!program || --program->ref > 0)
    return NULL;
  if (program->scop != program->original)
    tsr_scop_free(program->scop);
  isl_schedule_free(program->tree);
  free(program);
  return NULL;
}

/* PROGRAM for somebody who will change it; OWN: its SCoP, too. */
static struct tsr_program *cow(__isl_take struct tsr_program *program, bool own)
{
  if (!program)
    return NULL;
  struct tsr_program *only = program;
  if (program->ref > 1) {
    only = tsr_program_alloc(program->original, isl_schedule_copy(program->tree));
    if (only && program->scop != program->original)
      only->scop = tsr_scop_copy(program->scop);
    tsr_program_free(program);
  }
  if (only && own && only->scop == only->original) {
    only->scop = tsr_scop_copy(only->original);
    if (only->scop)
      tsr_scop_set_schedule(only->scop, tsr_tree_expand(isl_schedule_copy(only->tree)));
  }
  return only && only->scop ? only : tsr_program_free(only);
}

struct tsr_program *tsr_program_from_scop(struct tsr_scop *original, struct tsr_scop *scop, isl_schedule *tree)
{
  struct tsr_program *program = scop ? tsr_program_alloc(original, tree) : NULL;
  if (!program) {
    if (!scop)
      isl_schedule_free(tree);
    tsr_scop_free(scop);
    return NULL;
  }
  program->scop = scop;
  if (tsr_scop_set_schedule(scop, tsr_tree_expand(isl_schedule_copy(tree))) < 0)
    return tsr_program_free(program);
  return program;
}

struct tsr_program *tsr_program_set_tree(struct tsr_program *program, isl_schedule *tree)
{
  program = tree ? cow(program, false) : tsr_program_free(program);
  if (!program) {
    isl_schedule_free(tree);
    return NULL;
  }
  isl_schedule_free(program->tree);
  program->tree = tree;
  if (program->scop == program->original)
    return program;
  if (tsr_scop_set_schedule(program->scop, tsr_tree_expand(isl_schedule_copy(tree))) < 0)
    return tsr_program_free(program);
  return program;
}

/* ---- arrays and statements ---- */

/* Has SCOP an array or a statement called NAME? */
static bool has_name(struct tsr_scop *scop, const char *name)
{
  return tsr_scop_find_array(scop, name) >= 0 || tsr_scop_find_stmt(scop, name) >= 0;
}

void tsr_program_new_name(struct tsr_program *program, const char *lead, char *name, size_t size)
{
  int number = 0;
  snprintf(name, size, "%s", lead);
  while (has_name(program->scop, name) || has_name(program->original, name))
    snprintf(name, size, "%s%d", lead, ++number);
}

struct tsr_program *tsr_program_add_array(struct tsr_program *program, const char *name, enum tsr_space space, int elem_size,
                                          isl_set *extent, int *array)
{
  char full[64];
  program = cow(program, true);
  if (!program) {
    isl_set_free(extent);
    return NULL;
  }
  tsr_program_new_name(program, name, full, sizeof(full));
  isl_size index = tsr_scop_add_array(program->scop, full, TSR_ARRAY_MEMORY, elem_size, extent);
  if (index < 0)
    return tsr_program_free(program);
  struct tsr_array *added = &program->scop->arrays[index];
  added->space = space;
  added->live_in = added->live_out = false;
  if (array)
    *array = index;
  return program;
}

/* The part of DOMAIN, of a schedule, that has the tuple NAME. */
struct extraction {
  const char *name;
  isl_set *set;
};

static isl_stat take_named(isl_set *set, void *user)
{
  struct extraction *x = user;
  if (isl_set_has_tuple_name(set) == isl_bool_true && !strcmp(isl_set_get_tuple_name(set), x->name)) {
    isl_set_free(x->set);
    x->set = set;
    return isl_stat_ok;
  }
  isl_set_free(set);
  return isl_stat_ok;
}

/* Add statement ADDED, whose instances are in DOMAIN, to SCOP. Takes its relations. */
static isl_stat add_stmt(struct tsr_scop *scop, struct tsr_added_stmt *added, isl_union_set *domain)
{
  struct extraction x = {added->name, NULL};
  isl_stat ok = isl_union_set_foreach_set(domain, take_named, &x);
  isl_size index =
      ok == isl_stat_ok && x.set ? tsr_scop_add_stmt(scop, added->name, isl_set_coalesce(x.set)) : isl_size_error;
  if (index < 0 && x.set && ok < 0)
    isl_set_free(x.set);
  if (index >= 0) {
    scop->stmts[index].kind = added->kind;
    scop->stmts[index].origin = added->origin;
    added->origin = NULL;
  }
  for (int k = 0; k < added->n_access; k++) {
    isl_map *relation = added->access[k].relation;
    added->access[k].relation = NULL;
    if (index < 0)
      isl_map_free(relation);
    else if (tsr_scop_add_access(scop, index, added->access[k].kind, relation) < 0)
      index = isl_size_error;
  }
  return index < 0 ? isl_stat_error : isl_stat_ok;
}

static void added_clear(struct tsr_added_stmt *added)
{
  isl_map_free(added->origin);
  for (int k = 0; k < added->n_access && added->access; k++)
    isl_map_free(added->access[k].relation);
  free(added->access);
}

static void inherit_access(struct tsr_access *access, const struct tsr_access *from)
{
  access->maybe = from->maybe;
  access->guard = from->guard;
  access->reduction = from->reduction;
  access->reassoc = from->reassoc;
  access->exact = from->exact;
  access->wait = from->wait;
  access->home = from->home;
}

/* STMT, of PROGRAM, does what its original does: cost models and emission know as much of it. */
static void inherit(struct tsr_program *program, struct tsr_stmt *stmt)
{
  int number = tsr_stmt_original(program, stmt);
  const struct tsr_stmt *from = number < 0 ? NULL : &program->original->stmts[number];
  if (!from)
    return;
  stmt->line = from->line;
  stmt->weight = from->weight;
  stmt->vector_bytes = from->vector_bytes;
  stmt->lane_bytes = from->lane_bytes;
  stmt->latency = from->latency;
  stmt->divisions = from->divisions;
  stmt->alone = from->alone;
  stmt->original_wait = from->original_wait;
  stmt->one_thread = from->one_thread;
  stmt->rare = from->rare;
  for (int k = 0; k < stmt->n_access && k < from->n_access; k++)
    inherit_access(&stmt->access[k], &from->access[k]);
}

struct tsr_program *tsr_program_extend(struct tsr_program *program, isl_schedule *tree, struct tsr_added_stmt *added, int n)
{
  isl_schedule *expanded = tsr_tree_expand(isl_schedule_copy(tree));
  isl_union_set *domain = expanded ? isl_schedule_get_domain(expanded) : NULL;
  bool good = domain != NULL;
  program = cow(program, true);
  /* sizes are typical of the original */
  isl_set *typical = program ? isl_set_copy(program->scop->kept.typical) : NULL;
  for (int i = 0; i < n; i++) {
    good = good && program && add_stmt(program->scop, &added[i], domain) == isl_stat_ok;
    if (good)
      inherit(program, &program->scop->stmts[program->scop->n_stmt - 1]);
    added_clear(&added[i]);
  }
  if (program && !program->scop->kept.typical)
    program->scop->kept.typical = typical;
  else
    isl_set_free(typical);
  isl_union_set_free(domain);
  if (!program || !good) {
    isl_schedule_free(tree);
    isl_schedule_free(expanded);
    return tsr_program_free(program);
  }
  isl_schedule_free(program->tree);
  program->tree = tree;
  tsr_scop_set_schedule(program->scop, expanded);
  return program;
}

struct tsr_program *tsr_program_redirect(struct tsr_program *program, int stmt, int access, isl_map *relation)
{
  const char *name = relation ? isl_map_get_tuple_name(relation, isl_dim_out) : NULL;
  program = name ? cow(program, true) : tsr_program_free(program);
  int array = program ? tsr_scop_find_array(program->scop, name) : -1;
  if (array < 0 || stmt < 0 || stmt >= program->scop->n_stmt || access < 0 ||
      access >= program->scop->stmts[stmt].n_access) {
    isl_map_free(relation);
    return tsr_program_free(program);
  }
  struct tsr_access *changed = &program->scop->stmts[stmt].access[access];
  isl_map_free(changed->relation);
  changed->relation = isl_map_set_tuple_name(relation, isl_dim_in, program->scop->stmts[stmt].name);
  changed->array = array;
  return program;
}

struct tsr_program *tsr_program_restrict(struct tsr_program *program, isl_set **domain)
{
  int n = program->scop->n_stmt;
  program = cow(program, true);
  isl_union_set *all = program ? isl_schedule_get_domain(program->scop->schedule) : NULL;
  for (int i = 0; i < n; i++) {
    if (!domain[i] || !program) {
      isl_set_free(domain[i]);
      continue;
    }
    struct tsr_stmt *s = &program->scop->stmts[i];
    all = isl_union_set_subtract(all, isl_union_set_from_set(isl_set_copy(s->domain)));
    isl_set_free(s->domain);
    s->domain = isl_set_set_tuple_name(domain[i], s->name);
    all = isl_union_set_add_set(all, isl_set_copy(s->domain));
  }
  if (!program)
    return NULL;
  isl_schedule *tree = isl_schedule_copy(program->scop->schedule);
  return tsr_program_set_tree(program, isl_schedule_intersect_domain(tree, all));
}

/* ---- well-formedness ---- */

static isl_stat invalid(struct tsr_program *program, const char *why)
{
  if (isl_ctx_last_error(program->original->ctx) == isl_error_none) /* else isl has given up before */
    isl_handle_error(program->original->ctx, isl_error_invalid, why, __FILE__, __LINE__);
  return isl_stat_error;
}

int tsr_stmt_original(const struct tsr_program *program, const struct tsr_stmt *stmt)
{
  if (stmt->kind != TSR_STMT_COMPUTE)
    return -1;
  const char *name = stmt->origin ? isl_map_get_tuple_name(stmt->origin, isl_dim_out) : stmt->name;
  return name ? tsr_scop_find_stmt(program->original, name) : -1;
}

/* Does COMPUTE statement STMT perform instances of a statement of the original, access by access? */
static isl_stat validate_compute(struct tsr_program *program, struct tsr_stmt *stmt)
{
  int number = tsr_stmt_original(program, stmt);
  if (number < 0)
    return invalid(program, "a statement whose origin is none of the original's statements");
  struct tsr_stmt *original = &program->original->stmts[number];
  bool same = stmt->n_access == original->n_access;
  for (int k = 0; k < stmt->n_access && same; k++)
    same = stmt->access[k].kind == original->access[k].kind;
  if (!same)
    return invalid(program, "a statement with other accesses than its origin");
  if (!stmt->origin) {
    isl_bool own = isl_set_is_subset(stmt->domain, original->domain);
    return own < 0 ? isl_stat_error : own ? isl_stat_ok : invalid(program, "a statement with instances of its own");
  }
  isl_bool single = isl_map_is_single_valued(stmt->origin);
  isl_set *performed = isl_set_apply(isl_set_copy(stmt->domain), isl_map_copy(stmt->origin));
  isl_bool inside = isl_set_is_subset(performed, original->domain);
  isl_set *lost = isl_set_subtract(isl_set_copy(stmt->domain), isl_map_domain(isl_map_copy(stmt->origin)));
  isl_bool total = isl_set_is_empty(lost);
  isl_set_free(lost);
  isl_set_free(performed);
  if (single < 0 || inside < 0 || total < 0)
    return isl_stat_error;
  return single && inside && total ? isl_stat_ok
                                   : invalid(program, "an origin that isn't one instance of the original for each instance");
}

/* Is MOVE a read and then a must write, of one element each? */
static isl_stat validate_move(struct tsr_program *program, struct tsr_stmt *move)
{
  if (move->n_access != 2 || move->access[0].kind != TSR_READ || move->access[1].kind != TSR_MUST_WRITE)
    return invalid(program, "a move that isn't a read and a write");
  for (int k = 0; k < 2; k++) {
    isl_map *relation = isl_map_intersect_domain(isl_map_copy(move->access[k].relation), isl_set_copy(move->domain));
    isl_bool single = isl_map_is_single_valued(relation);
    isl_set *at = isl_map_domain(relation);
    isl_bool total = isl_set_is_subset(move->domain, at);
    isl_set_free(at);
    if (single < 0 || total < 0)
      return isl_stat_error;
    if (!single || !total)
      return invalid(program, "a move of other than one element");
  }
  return isl_stat_ok;
}

isl_stat tsr_program_validate(struct tsr_program *program)
{
  struct tsr_scop *scop = program->scop;
  if (scop == program->original) {
    isl_union_set *domain = isl_schedule_get_domain(program->tree), *all = tsr_scop_domain(scop);
    isl_bool same = isl_union_set_is_equal(domain, all);
    isl_union_set_free(domain);
    isl_union_set_free(all);
    return same < 0 ? isl_stat_error : same ? isl_stat_ok : invalid(program, "a tree over other instances");
  }
  if (tsr_scop_validate(scop) < 0)
    return isl_stat_error;
  for (int i = 0; i < scop->n_stmt; i++) {
    struct tsr_stmt *stmt = &scop->stmts[i];
    isl_stat ok = stmt->kind == TSR_STMT_COMPUTE ? validate_compute(program, stmt)
                  : stmt->kind == TSR_STMT_MOVE  ? validate_move(program, stmt)
                  : stmt->n_access == 0          ? isl_stat_ok
                                                 : invalid(program, "a barrier with accesses");
    if (ok < 0)
      return ok;
  }
  for (int i = 0; i < program->original->n_array; i++)
    if (strcmp(scop->arrays[i].name, program->original->arrays[i].name) || scop->arrays[i].space != TSR_SPACE_PROGRAM)
      return invalid(program, "arrays that don't begin with the original's");
  return isl_stat_ok;
}

bool tsr_program_leaves_out(const struct tsr_program *program)
{
  const struct tsr_scop *scop = program->scop;
  bool *used = calloc(scop->n_array + 1, sizeof(*used));
  bool out = false;
  for (int s = 0; s < scop->n_stmt && used; s++)
    for (int k = 0; k < scop->stmts[s].n_access && isl_set_is_empty(scop->stmts[s].domain) == isl_bool_false; k++)
      used[scop->stmts[s].access[k].array] = true;
  for (int a = 0; a < program->original->n_array && used; a++)
    out |= !used[a] && program->original->arrays[a].kind != TSR_ARRAY_SCALAR;
  free(used);
  return out;
}
