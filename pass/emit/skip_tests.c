/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In front of the SCoP, where its run-time condition holds: is no element zero for which it would skip a loop
 * (read/control/zero_skips.c)?
 *
 *   C: br cond, T, old
 *   T: for l: for j: br b[l][j] != 0, next, old         loops that move along rows of what is read innermost
 *   ..  on to the new code */
#include "emit/statement_code.h"
#include <stdlib.h>

bool tsr_skips_prepare(struct tsr_model *m)
{
  for (int i = 0; i < m->n_skip; i++) {
    struct tsr_skip *skip = &m->skip[i];
    if (skip->ast)
      continue;
    isl_set *context = isl_set_intersect(isl_set_copy(m->scop->context), isl_set_copy(m->scop->assumed));
    isl_map *order = isl_map_intersect_params(tsr_skip_order(m, skip), isl_set_copy(context));
    isl_ast_build *build = isl_ast_build_from_context(context);
    skip->ast = isl_ast_build_node_from_schedule_map(build, isl_union_map_from_map(order));
    isl_ast_build_free(build);
    if (!skip->ast)
      return tsr_model_reject(m, TSR_REASON_Isl, NULL, isl_ctx_last_error_msg(m->ctx));
    if (!tsr_expr_fits(m, skip->ast))
      return tsr_model_reject(m, TSR_REASON_Overflow, NULL, NULL);
  }
  return true;
}

static void emit_node(struct tsr_emit *e, isl_ast_node *node);

/* The loop NODE */
static void emit_for(struct tsr_emit *e, isl_ast_node *node)
{
  struct tsr_for loop = {.iterator = tsr_emit_iterator_name(node), .body = isl_ast_node_for_get_body(node)};
  if (isl_ast_node_for_is_degenerate(node) == isl_bool_true) {
    int n_var = e->n_var;
    tsr_emit_bind(e, loop.iterator, tsr_emit_expr(e, isl_ast_node_for_get_init(node)));
    emit_node(e, loop.body);
    tsr_emit_unbind(e, n_var);
  } else {
    tsr_emit_bounds(e, node, &loop);
    tsr_emit_loop(e, &loop);
  }
  free(loop.iterator);
  isl_ast_node_free(loop.body);
}

/* The branch NODE */
static void emit_if(struct tsr_emit *e, isl_ast_node *node)
{
  LLVMValueRef cond = tsr_emit_truth(e, isl_ast_node_if_get_cond(node));
  LLVMBasicBlockRef yes = tsr_emit_block(e, "tsr.then"), behind = tsr_emit_block(e, "tsr.endif");
  LLVMBasicBlockRef no = behind;
  bool both = isl_ast_node_if_has_else_node(node) == isl_bool_true;
  if (both)
    no = tsr_emit_block(e, "tsr.else");
  LLVMBuildCondBr(e->b, cond, yes, no);
  for (int arm = 0; arm <= both; arm++) {
    isl_ast_node *sub = arm ? isl_ast_node_if_get_else_node(node) : isl_ast_node_if_get_then_node(node);
    LLVMPositionBuilderAtEnd(e->b, arm ? no : yes);
    emit_node(e, sub);
    LLVMBuildBr(e->b, behind);
    isl_ast_node_free(sub);
  }
  LLVMPositionBuilderAtEnd(e->b, behind);
}

/* One child after the other */
static void emit_block(struct tsr_emit *e, isl_ast_node *node)
{
  isl_ast_node_list *list = isl_ast_node_block_get_children(node);
  for (int i = 0; i < isl_ast_node_list_n_ast_node(list); i++) {
    isl_ast_node *sub = isl_ast_node_list_get_ast_node(list, i);
    emit_node(e, sub);
    isl_ast_node_free(sub);
  }
  isl_ast_node_list_free(list);
}

/* One test: where it fails, control leaves for the original. */
static void emit_test(struct tsr_emit *e, isl_ast_node *node)
{
  struct tsr_skip *skip = e->skip.test;
  struct tsr_copy copy = {.e = e, .s = &skip->at};
  tsr_emit_counters(e, node, &copy.counters);
  LLVMValueRef holds = tsr_copy_resolve(&copy, skip->cond);
  LLVMBasicBlockRef next = tsr_emit_block(e, "tsr.tested");
  LLVMBuildCondBr(e->b, holds, skip->when ? next : e->skip.original, skip->when ? e->skip.original : next);
  LLVMPositionBuilderAtEnd(e->b, next);
  free(copy.counters);
  free(copy.local);
  free(copy.map);
}

/* NODE and all in it */
static void emit_node(struct tsr_emit *e, isl_ast_node *node)
{
  switch (isl_ast_node_get_type(node)) {
  case isl_ast_node_for:
    emit_for(e, node);
    break;
  case isl_ast_node_if:
    emit_if(e, node);
    break;
  case isl_ast_node_block:
    emit_block(e, node);
    break;
  case isl_ast_node_user:
    emit_test(e, node);
    break;
  case isl_ast_node_mark:
  case isl_ast_node_error:
    break;
  }
}

LLVMValueRef tsr_emit_skip_tests(struct tsr_emit *e, LLVMBasicBlockRef old, LLVMValueRef cond)
{
  if (!e->m->n_skip)
    return cond;
  void (*outer)(struct tsr_emit *, isl_ast_node *) = e->emit_node;
  int n_var = e->n_var;
  LLVMBasicBlockRef test = tsr_emit_block(e, "tsr.test");
  LLVMBuildCondBr(e->b, cond, test, old);
  LLVMPositionBuilderAtEnd(e->b, test);
  e->emit_node = emit_node;
  e->skip.original = old;
  for (int i = 0; i < e->m->n_skip; i++) {
    e->skip.test = &e->m->skip[i];
    emit_node(e, e->m->skip[i].ast);
    tsr_emit_unbind(e, n_var);
  }
  e->emit_node = outer;
  return LLVMConstInt(LLVMInt1TypeInContext(e->llvm), 1, false);
}
