/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* AST generation: isl's, with default options. The AST is built in the context of everything that is known when the
 * transformed code runs, so that conditions on parameters that the run-time check has settled do not appear again.
 *
 *   schedule tree  ->  for / if / block / mark / user nodes;  user: S(c0, c1 + c2, ...) */
#include "bridge.h"

/* requires: TREE is legal.  guarantees: runs every instance of its domain in the order of TREE.  on failure: NULL. */
isl_ast_node *tsr_ast_build(struct tsr_scop *scop, isl_schedule *tree)
{
  isl_ast_build *build = isl_ast_build_from_context(tsr_scop_known(scop));
  isl_ast_node *node = isl_ast_build_node_from_schedule(build, isl_schedule_copy(tree));
  isl_ast_build_free(build);
  return node;
}

isl_ast_expr *tsr_ast_condition(struct tsr_scop *scop, isl_set *cond)
{
  isl_set *context = isl_set_params(isl_set_copy(scop->context));
  cond = isl_set_gist(isl_set_params(cond), isl_set_copy(context));
  cond = isl_set_coalesce(isl_set_remove_redundancies(isl_set_coalesce(cond)));
  isl_ast_build *build = isl_ast_build_from_context(context);
  isl_ast_expr *expr = isl_ast_build_expr_from_set(build, cond);
  isl_ast_build_free(build);
  return expr;
}
