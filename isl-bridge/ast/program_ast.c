/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The AST of a transformed program. A user node calls the original's statement at the original's instance; what else the
 * program's instance is about hangs at the node:
 *
 *   S'(c0, c1 + 4 * c0)   ->   S(c1 + 4 * c0)     with struct tsr_instance: access 2 is element [c1] of buffer P
 *   M(c0, c1)             ->   M(c0, c1)          a move: from A[c1], to P[c1 - 4 * c0]
 *
 *   T(c0 + 1)                              access 1, which was to A[max(i - 1, 0)], is element [c0] of A (plain_places.c)
 *
 * Statements that are as in the original have nothing. */
#include "access/access.h"
#include "ast/ast.h"
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

static const char note_name[] = "instance";

static void free_instance(void *user)
{
  struct tsr_instance *instance = user;
  for (int i = 0; i < instance->n; i++)
    for (int d = 0; d < instance->place[i].n; d++)
      isl_ast_expr_free(instance->place[i].index[d]);
  free(instance->place);
  free(instance);
}

/* The name of the statement that USER calls. */
static const char *callee(isl_ast_node *user)
{
  isl_ast_expr *call = isl_ast_node_user_get_expr(user), *name = isl_ast_expr_op_get_arg(call, 0);
  isl_id *id = isl_ast_expr_get_id(name);
  const char *text = id ? isl_id_get_name(id) : NULL; /* the node keeps it */
  isl_id_free(id);
  isl_ast_expr_free(name);
  isl_ast_expr_free(call);
  return text;
}

/* Is NOW, access K of STMT in a buffer, as loose as it is in the original? */
static bool is_loose_alike(struct tsr_program *program, const struct tsr_stmt *stmt, int k, const struct tsr_loose *now)
{
  const struct tsr_array *array = &program->scop->arrays[stmt->access[k].array];
  int number = tsr_stmt_original(program, stmt);
  struct tsr_loose then;
  if (now->subscript < 0)
    return true;
  if (number < 0 || (array->space != TSR_SPACE_HEAP && array->space != TSR_SPACE_STACK))
    return false;
  const struct tsr_stmt *original = &program->original->stmts[number];
  isl_map *relation = isl_map_intersect_domain(isl_map_copy(original->access[k].relation), isl_set_copy(original->domain));
  isl_map *of = original->access[k].relation;
  bool alike = tsr_access_loose(relation, of, &then) == isl_bool_true && then.subscript == now->subscript &&
               then.extent == now->extent;
  tsr_loose_clear(&then);
  isl_map_free(relation);
  return alike;
}

/* Add where access K of STMT is, of PROGRAM, for the instance that INSTANCES { [loops] -> S'[x] } says; ONE, if that is so.
 */
static bool add_place(struct tsr_instance *instance, struct tsr_program *program, const struct tsr_stmt *stmt, int k,
                      isl_ast_build *build, isl_map *instances, bool one)
{
  struct tsr_access_place *place = &instance->place[instance->n];
  const struct tsr_access *access = &stmt->access[k];
  isl_map *of = one ? access->relation : NULL;
  isl_map *map = isl_map_apply_range(isl_map_copy(instances), isl_map_copy(access->relation));
  struct tsr_loose loose;
  bool good = tsr_access_loose(map, of, &loose) == isl_bool_true && is_loose_alike(program, stmt, k, &loose);
  isl_pw_multi_aff *element = good ? isl_pw_multi_aff_from_map(isl_map_copy(loose.least)) : NULL;
  tsr_loose_clear(&loose);
  isl_map_free(map);
  isl_size n = element ? isl_pw_multi_aff_dim(element, isl_dim_out) : 0;
  if (!element || n > TSR_PLACE_DIM) {
    isl_pw_multi_aff_free(element);
    return false;
  }
  place->access = k;
  place->loose = loose.subscript;
  place->array = access->array;
  place->buffer = program->scop->arrays[access->array].space != TSR_SPACE_PROGRAM;
  instance->n++;
  for (; place->n < n; place->n++)
    place->index[place->n] = isl_ast_build_expr_from_pw_aff(build, isl_pw_multi_aff_get_at(element, place->n));
  isl_pw_multi_aff_free(element);
  return n == 0 || place->index[n - 1];
}

/* Is RELATION { S[x] -> A[e] } as OTHER, but for the array? */
static bool has_same_element(isl_map *relation, isl_map *other)
{
  isl_map *own = isl_map_reset_tuple_id(isl_map_copy(relation), isl_dim_out);
  other = isl_map_reset_tuple_id(isl_map_copy(other), isl_dim_out);
  bool same = isl_map_plain_is_equal(own, other) == isl_bool_true;
  isl_map_free(own);
  isl_map_free(other);
  return same;
}

/* Add where access K of STMT is, of PROGRAM, if one before is at the same element of another array. */
static bool copy_place(struct tsr_instance *instance, struct tsr_program *program, const struct tsr_stmt *stmt, int k)
{
  const struct tsr_access_place *like = NULL;
  for (int i = 0; i < instance->n && !like; i++)
    if (instance->place[i].loose < 0 &&
        has_same_element(stmt->access[k].relation, stmt->access[instance->place[i].access].relation))
      like = &instance->place[i];
  if (!like)
    return false;
  struct tsr_access_place *place = &instance->place[instance->n++];
  int array = stmt->access[k].array;
  *place = *like;
  place->access = k;
  place->array = array;
  place->buffer = program->scop->arrays[array].space != TSR_SPACE_PROGRAM;
  for (int d = 0; d < place->n; d++)
    place->index[d] = isl_ast_expr_copy(like->index[d]);
  return true;
}

/* Is RELATION, of the move, OTHER with SKIP dimensions more in front? */
static bool is_like(isl_map *relation, isl_map *other, int skip)
{
  isl_map *own = isl_map_reset_tuple_id(isl_map_copy(relation), isl_dim_in);
  other = isl_map_insert_dims(isl_map_reset_tuple_id(isl_map_copy(other), isl_dim_in), isl_dim_in, 0, (unsigned)skip);
  bool like = isl_map_plain_is_equal(own, other) == isl_bool_true;
  isl_map_free(own);
  isl_map_free(other);
  return like;
}

int tsr_move_like(struct tsr_program *program, const struct tsr_stmt *move, int *access, int *skip)
{
  isl_map *relation = move->access[0].relation;
  for (int i = 0; i < program->scop->n_stmt; i++) {
    const struct tsr_stmt *reader = &program->scop->stmts[i];
    int number = tsr_stmt_original(program, reader);
    const struct tsr_stmt *stmt = number < 0 ? NULL : &program->original->stmts[number];
    *skip = stmt ? (int)isl_map_dim(relation, isl_dim_in) - (int)isl_set_dim(stmt->domain, isl_dim_set) : -1;
    for (*access = 0; *skip >= 0 && *access < stmt->n_access; ++*access)
      if (reader->access[*access].array == move->access[1].array && stmt->access[*access].kind == TSR_READ &&
          stmt->access[*access].array == move->access[0].array && is_like(relation, stmt->access[*access].relation, *skip))
        return number;
  }
  return -1;
}

/* The instance of STMT, of PROGRAM, at hand, in *INSTANCE; NULL: it is as in the original. False: isl failed, or there are
 * too many subscripts. */
static bool make_instance(struct tsr_program *program, const struct tsr_stmt *stmt, isl_ast_build *build, isl_map *instances,
                          struct tsr_instance **made)
{
  *made = NULL;
  struct tsr_instance *instance = calloc(1, sizeof(*instance));
  if (!instance)
    return false;
  instance->kind = stmt->kind;
  int access;
  instance->stmt = stmt->kind == TSR_STMT_MOVE ? tsr_move_like(program, stmt, &access, &instance->skip)
                                               : tsr_stmt_original(program, stmt);
  instance->place = calloc((size_t)stmt->n_access + 1, sizeof(*instance->place));
  bool good = instance->place != NULL, any = false, one = false;
  for (int k = 0; k < stmt->n_access && good; k++) {
    bool buffer = program->scop->arrays[stmt->access[k].array].space != TSR_SPACE_PROGRAM;
    if ((!buffer && stmt->kind != TSR_STMT_MOVE) || copy_place(instance, program, stmt, k))
      continue;
    one = any ? one : isl_map_is_single_valued(instances) == isl_bool_true;
    any = true;
    good = add_place(instance, program, stmt, k, build, instances, one);
  }
  if (good && (instance->n > 0 || stmt->kind != TSR_STMT_COMPUTE))
    *made = instance;
  else
    free_instance(instance);
  return good;
}

/* NODE, which calls a statement of the program's with an origin: the call of that. */
static isl_ast_node *call_origin(isl_ast_node *node, const struct tsr_stmt *stmt, isl_ast_build *build, isl_map *instances)
{
  isl_map *origin = isl_map_apply_range(isl_map_copy(instances), isl_map_copy(stmt->origin));
  isl_ast_expr *call = isl_ast_build_call_from_pw_multi_aff(build, isl_pw_multi_aff_from_map(origin));
  isl_ast_node_free(node);
  return isl_ast_node_user_from_expr(call);
}

/* NODE with INSTANCE, if that says something. */
static isl_ast_node *note_instance(isl_ast_node *node, isl_ast_build *build, struct tsr_instance *instance)
{
  if (instance->n == 0 && instance->kind == TSR_STMT_COMPUTE) {
    free_instance(instance);
    return node;
  }
  isl_id *note = isl_id_alloc(isl_ast_build_get_ctx(build), note_name, instance);
  if (!note)
    free_instance(instance);
  return isl_ast_node_set_annotation(node, isl_id_set_free_user(note, free_instance));
}

static isl_ast_node *annotate(isl_ast_node *node, isl_ast_build *build, void *user)
{
  struct tsr_program *program = user;
  const char *name = callee(node);
  int number = name ? tsr_scop_find_stmt(program->scop, name) : -1;
  if (number < 0)
    return node;
  const struct tsr_stmt *stmt = &program->scop->stmts[number];
  isl_map *instances = isl_map_reverse(isl_map_from_union_map(isl_ast_build_get_schedule(build)));
  struct tsr_instance *instance;
  if (!make_instance(program, stmt, build, instances, &instance)) { /* as it is, it would do something else */
    isl_map_free(instances);
    return isl_ast_node_free(node);
  }
  if (stmt->origin)
    node = call_origin(node, stmt, build, instances);
  isl_map_free(instances);
  return instance ? note_instance(node, build, instance) : node;
}

/* A tree of the original's statements, and which of them are in parts. */
struct parted {
  struct tsr_scop *scop;
  bool *is;
  int **choices; /* by statement and access, what tsr_place_choices finds; NULL: not asked for yet */
};

/* That of each access of statement NUMBER, 0 or less where there is nothing to be simpler than; NULL: no memory. */
static const int *choices_of(struct parted *parted, int number)
{
  const struct tsr_stmt *stmt = &parted->scop->stmts[number];
  if (!parted->choices)
    parted->choices = calloc((size_t)parted->scop->n_stmt + 1, sizeof(*parted->choices));
  if (!parted->choices || parted->choices[number])
    return parted->choices ? parted->choices[number] : NULL;
  int *choices = parted->choices[number] = calloc((size_t)stmt->n_access + 1, sizeof(*choices));
  for (int k = 0; choices && k < stmt->n_access; k++)
    choices[k] = tsr_access_has_forms(stmt->access[k].relation) ? tsr_place_choices(stmt, k) : -1;
  return choices;
}

/* The same for a statement of the original's. */
static isl_ast_node *annotate_original(isl_ast_node *node, isl_ast_build *build, void *user)
{
  struct parted *parted = user;
  struct tsr_scop *scop = parted->scop;
  const char *name = callee(node);
  int number = name ? tsr_scop_find_stmt(scop, name) : -1;
  struct tsr_instance *instance = number < 0 || !parted->is[number] ? NULL : calloc(1, sizeof(*instance));
  if (!instance)
    return node;
  const struct tsr_stmt *stmt = &scop->stmts[number];
  isl_map *instances = isl_map_reverse(isl_map_from_union_map(isl_ast_build_get_schedule(build)));
  *instance = (struct tsr_instance){.kind = TSR_STMT_COMPUTE, .stmt = number};
  instance->place = calloc((size_t)stmt->n_access + 1, sizeof(*instance->place));
  const int *choices = choices_of(parted, number);
  for (int k = 0; choices && instance->place && k < stmt->n_access; k++)
    if (choices[k] > 0)
      instance->n += tsr_place_simpler(stmt, k, choices[k], build, instances, &instance->place[instance->n]);
  isl_map_free(instances);
  return note_instance(node, build, instance);
}

const struct tsr_instance *tsr_ast_instance(isl_ast_node *user)
{
  isl_id *note = tsr_ast_note(user);
  const struct tsr_instance *instance = note && !strcmp(isl_id_get_name(note), note_name) ? isl_id_get_user(note) : NULL;
  isl_id_free(note);
  return instance;
}

isl_ast_node *tsr_scop_ast(struct tsr_scop *scop, isl_schedule *tree)
{
  struct parted parted = {scop, tsr_tree_parted(scop, tree), NULL};
  bool any = false;
  for (int i = 0; i < scop->n_stmt && parted.is; i++)
    any |= parted.is[i];
  isl_ast_node *ast = any ? tsr_ast_build_with(scop, tree, annotate_original, &parted) : tsr_ast_build(scop, tree);
  for (int i = 0; i < scop->n_stmt && parted.choices; i++)
    free(parted.choices[i]);
  free(parted.choices);
  free(parted.is);
  return ast;
}

/* requires: a checked program.  guarantees: see above.  on failure: NULL. */
isl_ast_node *tsr_program_ast(struct tsr_program *program)
{
  if (program->scop == program->original)
    return tsr_scop_ast(program->scop, program->tree);
  return tsr_ast_build_with(program->scop, program->scop->schedule, annotate, program);
}

bool tsr_buffer_sizes(struct tsr_program *program, int array, isl_ast_expr *size[TSR_PLACE_DIM])
{
  const struct tsr_array *buffer = &program->scop->arrays[array];
  bool good = buffer->n_dim <= TSR_PLACE_DIM;
  isl_ast_build *build = isl_ast_build_from_context(tsr_scop_common(program->original));
  for (int d = 0; d < TSR_PLACE_DIM; d++)
    size[d] = NULL;
  for (int d = 0; d < buffer->n_dim && good; d++) {
    isl_pw_aff *most = isl_set_dim_max(isl_set_copy(buffer->extent), d);
    isl_val *one = isl_val_one(isl_set_get_ctx(buffer->extent));
    size[d] = isl_ast_build_expr_from_pw_aff(build, isl_pw_aff_add_constant_val(most, one));
    good = size[d] != NULL;
  }
  isl_ast_build_free(build);
  for (int d = 0; d < TSR_PLACE_DIM && !good; d++)
    size[d] = isl_ast_expr_free(size[d]);
  return good;
}

int tsr_written_sizes(struct tsr_scop *scop, int stmt, isl_ast_expr *size[TSR_PLACE_DIM])
{
  const struct tsr_stmt *of = &scop->stmts[stmt];
  isl_map *written = NULL;
  for (int k = 0; k < of->n_access && !written; k++)
    if (of->access[k].kind == TSR_MUST_WRITE && scop->arrays[of->access[k].array].kind == TSR_ARRAY_MEMORY)
      written = isl_map_intersect_domain(isl_map_copy(of->access[k].relation), isl_set_copy(of->domain));
  isl_set *elements = isl_map_range(written);
  int n = elements ? (int)isl_set_dim(elements, isl_dim_set) : 0;
  bool good = n > 0 && n <= TSR_PLACE_DIM;
  isl_ast_build *build = isl_ast_build_from_context(tsr_scop_common(scop));
  for (int d = 0; d < TSR_PLACE_DIM; d++)
    size[d] = NULL;
  for (int d = 0; d < n && good; d++) {
    isl_pw_aff *last = isl_set_dim_max(isl_set_copy(elements), d), *first = isl_set_dim_min(isl_set_copy(elements), d);
    isl_pw_aff *count = isl_pw_aff_add_constant_val(isl_pw_aff_sub(last, first), isl_val_one(scop->ctx));
    size[d] = isl_ast_build_expr_from_pw_aff(build, count);
    good = size[d] != NULL;
  }
  isl_ast_build_free(build);
  isl_set_free(elements);
  for (int d = 0; d < TSR_PLACE_DIM && !good; d++)
    size[d] = isl_ast_expr_free(size[d]);
  return good ? n : 0;
}
