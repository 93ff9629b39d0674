/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In front of the SCoP, where its run-time condition holds: is no element zero for which it would skip a loop
 * (read/control/zero_skips.c)?
 *
 *   C: br cond, T, old
 *   T: for l: for j: br b[l][j] != 0, next, old         loops that move along rows of what is read innermost
 *   ..  on to the new code
 *
 * Where a condition need not hold always, is it so often enough? The original takes time only where it holds, the new code
 * at all points: the share at which it does must be what the new code costs of the original, and a little more
 * (cost/results.c). */
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

static void begin_count(struct tsr_emit *e)
{
  e->skip.holds = tsr_emit_slot(e, e->i64);
  e->skip.all = tsr_emit_slot(e, e->i64);
  LLVMBuildStore(e->b, tsr_emit_number(e, 0), e->skip.holds);
  LLVMBuildStore(e->b, tsr_emit_number(e, 0), e->skip.all);
}

/* Add VALUE, i64, to SLOT. */
static void count(struct tsr_emit *e, LLVMValueRef slot, LLVMValueRef value)
{
  LLVMBuildStore(e->b, LLVMBuildAdd(e->b, LLVMBuildLoad2(e->b, e->i64, slot, ""), value, ""), slot);
}

void tsr_emit_skip_test(struct tsr_emit *e, isl_ast_node *node)
{
  struct tsr_skip *skip = e->skip.test;
  struct tsr_copy copy = {.e = e, .s = &skip->at};
  tsr_emit_counters(e, node, &copy.counters);
  LLVMValueRef holds = tsr_copy_resolve(&copy, skip->cond);
  if (skip->often) {
    holds = tsr_emit_frozen(e, holds);
    count(e, e->skip.holds, LLVMBuildZExt(e->b, skip->when ? holds : LLVMBuildNot(e->b, holds, ""), e->i64, ""));
    count(e, e->skip.all, tsr_emit_number(e, 1));
  } else {
    LLVMBasicBlockRef next = tsr_emit_block(e, "tsr.tested");
    LLVMBuildCondBr(e->b, holds, skip->when ? next : e->skip.original, skip->when ? e->skip.original : next);
    LLVMPositionBuilderAtEnd(e->b, next);
  }
  free(copy.counters);
  free(copy.local);
  free(copy.map);
}

/* Is the share of what was counted LEAST of 1000? Else OLD. */
static void test_share(struct tsr_emit *e, int64_t least, LLVMBasicBlockRef old)
{
  LLVMValueRef holds = LLVMBuildLoad2(e->b, e->i64, e->skip.holds, ""), all = LLVMBuildLoad2(e->b, e->i64, e->skip.all, "");
  holds = LLVMBuildMul(e->b, holds, tsr_emit_number(e, 1000), "");
  LLVMValueRef most = LLVMBuildMul(e->b, all, tsr_emit_number(e, least), "");
  LLVMBasicBlockRef next = tsr_emit_block(e, "tsr.often");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSGE, holds, most, ""), next, old);
  LLVMPositionBuilderAtEnd(e->b, next);
}

LLVMValueRef tsr_emit_skip_tests(struct tsr_emit *e, LLVMBasicBlockRef old, LLVMValueRef cond)
{
  int64_t least = (int64_t)(1000 * tsr_result_least_share(e->plan, e->m->opt));
  int n_test = 0;
  for (int i = 0; i < e->m->n_skip; i++)
    n_test += !e->m->skip[i].often || least > 0;
  if (!n_test)
    return cond;
  int n_var = e->n_var;
  LLVMBasicBlockRef test = tsr_emit_block(e, "tsr.test");
  LLVMBuildCondBr(e->b, cond, test, old);
  LLVMPositionBuilderAtEnd(e->b, test);
  e->skip.original = old;
  for (int i = 0; i < e->m->n_skip; i++) {
    struct tsr_skip *skip = e->skip.test = &e->m->skip[i];
    if (skip->often && least == 0)
      continue;
    if (skip->often)
      begin_count(e);
    tsr_emit_ast(e, skip->ast);
    tsr_emit_unbind(e, n_var);
    if (skip->often)
      test_share(e, least, old);
  }
  e->skip.test = NULL;
  return LLVMConstInt(LLVMInt1TypeInContext(e->llvm), 1, false);
}
