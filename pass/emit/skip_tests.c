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

void tsr_emit_skip_test(struct tsr_emit *e, isl_ast_node *node)
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

LLVMValueRef tsr_emit_skip_tests(struct tsr_emit *e, LLVMBasicBlockRef old, LLVMValueRef cond)
{
  if (!e->m->n_skip)
    return cond;
  int n_var = e->n_var;
  LLVMBasicBlockRef test = tsr_emit_block(e, "tsr.test");
  LLVMBuildCondBr(e->b, cond, test, old);
  LLVMPositionBuilderAtEnd(e->b, test);
  e->skip.original = old;
  for (int i = 0; i < e->m->n_skip; i++) {
    e->skip.test = &e->m->skip[i];
    tsr_emit_ast(e, e->m->skip[i].ast);
    tsr_emit_unbind(e, n_var);
  }
  e->skip.test = NULL;
  return LLVMConstInt(LLVMInt1TypeInContext(e->llvm), 1, false);
}
