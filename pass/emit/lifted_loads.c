/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a SCoP finds invariant in memory (read/values/lifts.c), loaded in front of it:
 *
 *   B: parameters; br guard_0, L0, old
 *   L0: v_0 = load; more parameters; br guard_1, L1, old
 *   ..  the run-time condition compares and checks (runtime_condition.c)
 *
 * The load is a new one: no metadata, frozen, since the original's promises hold only where it is executed. */
#include "emit/emitter.h"

/* The condition EXPR, on parameters that may still be anything */
static LLVMValueRef guard(struct tsr_emit *e, isl_ast_expr *expr)
{
  e->may_wrap = true;
  LLVMValueRef cond = tsr_emit_truth(e, isl_ast_expr_copy(expr));
  e->may_wrap = false;
  return cond;
}

/* Load LIFT, where its guard holds; else go to OLD. */
static void load(struct tsr_emit *e, struct tsr_lift *lift, LLVMBasicBlockRef old)
{
  if (lift->guard) {
    LLVMValueRef cond = guard(e, lift->guard);
    LLVMBasicBlockRef next = tsr_emit_block(e, "tsr.load");
    LLVMBuildCondBr(e->b, cond, next, old);
    LLVMPositionBuilderAtEnd(e->b, next);
  }
  if (lift->item->is_pure) {
    lift->loaded = tsr_emit_frozen(e, tsr_emit_hoisted(e, lift->inside));
    return;
  }
  lift->pointer = tsr_emit_hoisted(e, LLVMGetOperand(lift->inside, 0));
  if (lift->item->is_call) {
    lift->loaded = tsr_clone_inst(lift->inside, false);
    LLVMInsertIntoBuilder(e->b, lift->loaded);
    return;
  }
  lift->loaded = LLVMBuildLoad2(e->b, lift->item->type, lift->pointer, "");
  LLVMSetAlignment(lift->loaded, lift->align);
  lift->loaded = LLVMBuildFreeze(e->b, lift->loaded, "tsr.lifted");
}

void tsr_emit_lifts(struct tsr_emit *e, LLVMBasicBlockRef old)
{
  struct tsr_model *m = e->m;
  unsigned missing = 0;
  if (m->n_lift) { /* in a block of our own, in which proxies can be replaced */
    LLVMBasicBlockRef head = tsr_emit_block(e, "tsr.head");
    LLVMBuildBr(e->b, head);
    LLVMPositionBuilderAtEnd(e->b, head);
  }
  for (int i = 0; i < m->n_lift; i++) {
    missing |= 1u << i;
    if (m->lift[i].n_before)
      m->lift[i].value = tsr_emit_frozen(e, m->lift[i].before[0]);
  }
  for (int n = 0; n < m->n_lift; n++) {
    struct tsr_lift *lift = &m->lift[m->lift_order[n]];
    tsr_emit_bind_parameters(e, missing);
    if (lift->inside)
      load(e, lift, old);
    if (!lift->value)
      lift->value = lift->loaded;
    missing &= ~(1u << m->lift_order[n]);
  }
  tsr_emit_bind_parameters(e, 0);
}

void tsr_emit_replace_proxies(struct tsr_emit *e)
{
  for (int i = 0; i < e->m->n_lift; i++)
    tsr_replace_uses_inside(e->m->lift[i].item->proxy, e->m->lift[i].value, e->fresh.block, e->fresh.n);
}
