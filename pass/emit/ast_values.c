/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a node of the AST says: the bounds of a loop, the statement and the counters of an instance. */
#include "emit/emitter.h"
#include <isl/id.h>
#include <stdlib.h>
#include <string.h>

char *tsr_emit_iterator_name(isl_ast_node *node)
{
  isl_ast_expr *iterator = isl_ast_node_for_get_iterator(node);
  isl_id *id = isl_ast_expr_get_id(iterator);
  char *name = strdup(isl_id_get_name(id));
  isl_id_free(id);
  isl_ast_expr_free(iterator);
  return name;
}

void tsr_emit_bounds(struct tsr_emit *e, isl_ast_node *node, struct tsr_for *bounds)
{
  isl_ast_expr *cond = isl_ast_node_for_get_cond(node);
  bounds->first = tsr_emit_expr(e, isl_ast_node_for_get_init(node));
  bounds->last = tsr_emit_expr(e, isl_ast_expr_op_get_arg(cond, 1));
  if (isl_ast_expr_op_get_type(cond) == isl_ast_expr_op_lt)
    bounds->last = LLVMBuildNSWSub(e->b, bounds->last, LLVMConstInt(e->i64, 1, false), "");
  bounds->step = tsr_emit_expr(e, isl_ast_node_for_get_inc(node));
  isl_ast_expr_free(cond);
}

int tsr_emit_stmt_of(struct tsr_emit *e, isl_ast_node *user)
{
  isl_ast_expr *call = isl_ast_node_user_get_expr(user), *name = isl_ast_expr_op_get_arg(call, 0);
  isl_id *id = isl_ast_expr_get_id(name);
  int stmt = tsr_scop_find_stmt(e->m->scop, isl_id_get_name(id));
  isl_id_free(id);
  isl_ast_expr_free(name);
  isl_ast_expr_free(call);
  return stmt;
}

int tsr_emit_counters(struct tsr_emit *e, isl_ast_node *node, LLVMValueRef **counters)
{
  isl_ast_expr *call = isl_ast_node_user_get_expr(node);
  isl_ast_expr *name = isl_ast_expr_op_get_arg(call, 0);
  isl_id *id = isl_ast_expr_get_id(name);
  int stmt = tsr_scop_find_stmt(e->m->scop, isl_id_get_name(id));
  int n = isl_ast_expr_op_get_n_arg(call) - 1;
  *counters = malloc((n + 1) * sizeof(**counters));
  for (int i = 0; i < n; i++)
    (*counters)[i] = tsr_emit_expr(e, isl_ast_expr_op_get_arg(call, i + 1));
  isl_id_free(id);
  isl_ast_expr_free(name);
  isl_ast_expr_free(call);
  return stmt;
}
