/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops over the neighbouring instances of one statement that are left beside register tiles, in an AST. */
#include "ast/ast.h"
#include <isl/id.h>
#include <isl/val.h>
#include <string.h>

/* Does LOOP go on by 1? One that runs once does not. */
static bool has_step_one(isl_ast_node *loop)
{
  if (isl_ast_node_for_is_degenerate(loop) != isl_bool_false)
    return false;
  isl_ast_expr *inc = isl_ast_node_for_get_inc(loop);
  isl_val *value = isl_ast_expr_get_val(inc);
  bool one = isl_val_is_one(value) == isl_bool_true;
  isl_val_free(value);
  isl_ast_expr_free(inc);
  return one;
}

/* Does CALL of a statement go to the next lane of EDGE where LOOP goes on? */
static bool goes_to_next_lane(isl_ast_node *loop, isl_ast_expr *call, const struct tsr_edge_stmt *edge)
{
  isl_ast_expr *iterator = isl_ast_node_for_get_iterator(loop);
  isl_id *id = isl_ast_expr_get_id(iterator);
  bool next = isl_ast_expr_op_get_n_arg(call) == edge->n_dim + 1;
  for (int i = 0; i < edge->n_dim && next; i++) {
    long step;
    isl_ast_expr *arg = isl_ast_expr_op_get_arg(call, i + 1);
    next = tsr_ast_expr_step(arg, id, &step) && step == edge->step[i];
    isl_ast_expr_free(arg);
  }
  isl_id_free(id);
  isl_ast_expr_free(iterator);
  return next;
}

bool tsr_edge_loop_read(isl_ast_node *loop, const struct tsr_edges *edges, const struct tsr_edge_stmt **edge,
                        isl_ast_node **user)
{
  *edge = NULL;
  *user = isl_ast_node_for_get_body(loop);
  if (has_step_one(loop) && isl_ast_node_get_type(*user) == isl_ast_node_user) {
    isl_ast_expr *call = isl_ast_node_user_get_expr(*user), *callee = isl_ast_expr_op_get_arg(call, 0);
    isl_id *id = isl_ast_expr_get_id(callee);
    for (int i = 0; i < edges->n && !*edge; i++)
      if (!strcmp(edges->edge[i].stmt, isl_id_get_name(id)) && goes_to_next_lane(loop, call, &edges->edge[i]))
        *edge = &edges->edge[i];
    isl_id_free(id);
    isl_ast_expr_free(callee);
    isl_ast_expr_free(call);
  }
  if (!*edge)
    *user = isl_ast_node_free(*user);
  return *edge != NULL;
}
