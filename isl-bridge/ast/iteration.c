/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What one iteration of a loop of the AST does, for those who mark loops in IR.
 *
 * LLVM's vectoriser joins accesses such as a[3 i] and a[3 i + 1] to one wide access, with shuffles. In a loop whose accesses
 * are marked as parallel it asks for no dependences at all, not even for those within an iteration: a load may get in front
 * of a store to the same element (InterleavedAccessInfo, LLVM 22). So such a loop must not be marked, unless what is written
 * in an iteration is not touched again in that: real and imaginary parts of a complex number. (Elements in buffers may share
 * a place there.) */
#include "ast/ast.h"
#include <isl/id.h>
#include <isl/val.h>
#include <stdlib.h>

static bool is_constant(isl_ast_expr *expr, long *value)
{
  bool is = isl_ast_expr_get_type(expr) == isl_ast_expr_int;
  isl_val *v = is ? isl_ast_expr_get_val(expr) : NULL;
  *value = is ? isl_val_get_num_si(v) : 0;
  isl_val_free(v);
  return is;
}

static bool op_step(isl_ast_expr *expr, isl_id *id, long *step)
{
  enum isl_ast_expr_op_type type = isl_ast_expr_op_get_type(expr);
  isl_size n = isl_ast_expr_op_get_n_arg(expr);
  isl_ast_expr *a = isl_ast_expr_op_get_arg(expr, 0), *b = n == 2 ? isl_ast_expr_op_get_arg(expr, 1) : NULL;
  long left = 0, right = 0, factor;
  bool known = tsr_ast_expr_step(a, id, &left) && (!b || tsr_ast_expr_step(b, id, &right));
  if (type == isl_ast_expr_op_minus)
    *step = -left;
  else if (type == isl_ast_expr_op_add || type == isl_ast_expr_op_sub)
    *step = type == isl_ast_expr_op_add ? left + right : left - right;
  else if (type == isl_ast_expr_op_mul && is_constant(a, &factor))
    *step = factor * right;
  else if (type == isl_ast_expr_op_mul && is_constant(b, &factor))
    *step = factor * left;
  else
    known = false;
  isl_ast_expr_free(a);
  isl_ast_expr_free(b);
  return known;
}

bool tsr_ast_expr_step(isl_ast_expr *expr, isl_id *id, long *step)
{
  *step = 0;
  if (!tsr_ast_expr_has(isl_ast_expr_copy(expr), id))
    return true;
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_id) {
    *step = 1;
    return true;
  }
  return isl_ast_expr_get_type(expr) == isl_ast_expr_op && op_step(expr, id, step);
}

#define MAX_WRITES 16

struct iteration {
  struct tsr_scop *scop;
  struct written {
    int stmt, access;
    isl_ast_expr *call;
  } write[MAX_WRITES]; /* so far */
  int n_write;
  isl_id *iterator;
  long step; /* of the iterator */
  struct of_array {
    bool written, strided, again; /* again: touched after it was written */
  } *of;
};

/* How the instance of CALL changes from one iteration to the next, in DELTA; false: not by constants, as far as that shows.
 */
static bool find_delta(struct iteration *iteration, isl_ast_expr *call, long delta[TSR_MAX_DIM])
{
  isl_size n = isl_ast_expr_op_get_n_arg(call);
  bool known = n <= TSR_MAX_DIM + 1;
  for (int i = 1; i < n && known; i++) {
    isl_ast_expr *arg = isl_ast_expr_op_get_arg(call, i);
    known = tsr_ast_expr_step(arg, iteration->iterator, &delta[i - 1]);
    delta[i - 1] *= iteration->step;
    isl_ast_expr_free(arg);
  }
  return known;
}

/* Have the calls A and B the same arguments? */
static bool have_same_arguments(isl_ast_expr *a, isl_ast_expr *b)
{
  isl_size n = isl_ast_expr_op_get_n_arg(a);
  bool same = n == isl_ast_expr_op_get_n_arg(b);
  for (int i = 1; i < n && same; i++) {
    isl_ast_expr *one = isl_ast_expr_op_get_arg(a, i), *other = isl_ast_expr_op_get_arg(b, i);
    same = isl_ast_expr_is_equal(one, other) == isl_bool_true;
    isl_ast_expr_free(one);
    isl_ast_expr_free(other);
  }
  return same;
}

/* { [i] -> A[e] } of access I of statement STMT. */
static isl_map *elements_of(struct tsr_scop *scop, int stmt, int i)
{
  struct tsr_stmt *s = &scop->stmts[stmt];
  isl_map *map = isl_map_intersect_domain(isl_map_copy(s->access[i].relation), isl_set_copy(s->domain));
  return isl_map_reset_tuple_id(map, isl_dim_in);
}

/* May access I of STMT, in CALL, touch what has been written in the iteration? */
static bool may_meet(struct iteration *iteration, int stmt, int i, isl_ast_expr *call)
{
  struct tsr_scop *scop = iteration->scop;
  bool meets = iteration->n_write == MAX_WRITES;
  for (int w = 0; w < iteration->n_write && !meets; w++) {
    const struct written *write = &iteration->write[w];
    if (scop->stmts[write->stmt].access[write->access].array != scop->stmts[stmt].access[i].array)
      continue;
    meets = !have_same_arguments(write->call, call);
    if (meets)
      break;
    isl_map *both = isl_map_intersect(elements_of(scop, write->stmt, write->access), elements_of(scop, stmt, i));
    meets = isl_map_is_empty(both) != isl_bool_true;
    isl_map_free(both);
  }
  return meets;
}

static void note_write(struct iteration *iteration, int stmt, int i, isl_ast_expr *call)
{
  if (iteration->n_write < MAX_WRITES)
    iteration->write[iteration->n_write++] = (struct written){stmt, i, isl_ast_expr_copy(call)};
}

/* Accesses are in the order of the original's instructions. */
static isl_bool add_statement(isl_ast_node *node, void *user)
{
  struct iteration *iteration = user;
  struct tsr_scop *scop = iteration->scop;
  long delta[TSR_MAX_DIM] = {0}, elements;
  if (isl_ast_node_get_type(node) != isl_ast_node_user)
    return isl_bool_true;
  isl_ast_expr *call = isl_ast_node_user_get_expr(node), *name = isl_ast_expr_op_get_arg(call, 0);
  isl_id *id = isl_ast_expr_get_id(name);
  int index = tsr_scop_find_stmt(scop, isl_id_get_name(id));
  bool known = find_delta(iteration, call, delta);
  for (int i = 0; index >= 0 && i < scop->stmts[index].n_access; i++) {
    struct tsr_access *access = &scop->stmts[index].access[i];
    struct of_array *of = &iteration->of[access->array];
    bool near = known && tsr_access_move(access->relation, delta, &elements) && labs(elements) <= 1;
    of->strided |= !near;
    of->again |= of->written && (tsr_ast_instance(node) || may_meet(iteration, index, i, call));
    of->written |= access->kind != TSR_READ;
    if (access->kind != TSR_READ)
      note_write(iteration, index, i, call);
  }
  isl_id_free(id);
  isl_ast_expr_free(name);
  isl_ast_expr_free(call);
  return isl_bool_true;
}

bool tsr_iteration_is_ordered(struct tsr_scop *scop, isl_ast_node *body, const char *iterator, long step)
{
  struct iteration iteration = {.scop = scop, .step = step};
  bool ordered = false;
  iteration.iterator = isl_id_alloc(scop->ctx, iterator, NULL);
  iteration.of = calloc(scop->n_array + 1, sizeof(*iteration.of));
  if (!iteration.of || isl_ast_node_foreach_descendant_top_down(body, add_statement, &iteration) < 0)
    ordered = true;
  for (int a = 0; a < scop->n_array && !ordered; a++)
    ordered = scop->arrays[a].kind == TSR_ARRAY_MEMORY && iteration.of[a].strided && iteration.of[a].again;
  for (int w = 0; w < iteration.n_write; w++)
    isl_ast_expr_free(iteration.write[w].call);
  isl_id_free(iteration.iterator);
  free(iteration.of);
  return ordered;
}

/* Do the guards of the statement of CALL stay where they are? It has some. */
static bool keeps_guards(struct iteration *iteration, isl_ast_expr *call)
{
  isl_ast_expr *name = isl_ast_expr_op_get_arg(call, 0);
  isl_id *id = isl_ast_expr_get_id(name);
  int index = tsr_scop_find_stmt(iteration->scop, isl_id_get_name(id));
  long delta[TSR_MAX_DIM] = {0}, elements;
  struct tsr_stmt *stmt = index < 0 ? NULL : &iteration->scop->stmts[index];
  bool keeps = stmt && tsr_stmt_is_guarded(stmt) && find_delta(iteration, call, delta);
  for (int i = 0; keeps && i < stmt->n_access; i++)
    keeps = !stmt->access[i].guard || (tsr_access_move(stmt->access[i].relation, delta, &elements) && elements == 0);
  isl_id_free(id);
  isl_ast_expr_free(name);
  return keeps;
}

bool tsr_iteration_keeps_guards(struct tsr_scop *scop, isl_ast_node *body, const char *iterator, long step)
{
  struct iteration iteration = {.scop = scop, .step = step, .iterator = isl_id_alloc(scop->ctx, iterator, NULL)};
  bool block = isl_ast_node_get_type(body) == isl_ast_node_block;
  isl_ast_node_list *list =
      block ? isl_ast_node_block_get_children(body) : isl_ast_node_list_from_ast_node(isl_ast_node_copy(body));
  int n = isl_ast_node_list_n_ast_node(list);
  isl_ast_expr *first = NULL;
  bool keeps = n > 0;
  for (int i = 0; i < n && keeps; i++) {
    isl_ast_node *user = isl_ast_node_list_get_ast_node(list, i);
    isl_ast_expr *call = isl_ast_node_get_type(user) == isl_ast_node_user ? isl_ast_node_user_get_expr(user) : NULL;
    keeps = call && keeps_guards(&iteration, call) && (!first || have_same_arguments(first, call));
    first = first ? first : isl_ast_expr_copy(call);
    isl_ast_expr_free(call);
    isl_ast_node_free(user);
  }
  isl_ast_expr_free(first);
  isl_ast_node_list_free(list);
  isl_id_free(iteration.iterator);
  return keeps;
}
