/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A loop whose iterations change nothing as a rule, block by block:
 *
 *   for i: x = c(i, x) ? v(i, x) : x
 *     ->
 *   first = first i
 *   do
 *     last = min(first + TSR_RARE_BLOCK - 1, last i)
 *     any = false;  for i = first .. last: any |= c(i, x)        x is as it was: vectors
 *     if (any) for i = first .. last: x = c(i, x) ? v(i, x) : x
 *     first = last + 1
 *   while (first <= last i)
 *
 * If no iteration of a block would change what is there when the block begins, the first one does not, nor the next one,
 * which finds the same, and so on: none does. A condition that may be poison, as it is of values that are, counts as if it
 * were false: what the iteration gives then is anything, so also what was there.
 *
 * Where changes are not rare, as in rows that ascend, looking for them would come on top: behind a block that is changed the
 * next one is not looked over, behind the next that is changed the next three, and so on. */
#include "emit/statement_code.h"

/* So many blocks run one by one before there is another look, at most. */
#define MOST_BLIND 15

/* i1: does S at this instance change a value from OLD, which VALUE, of S, is or may be chosen as? */
static LLVMValueRef changes(struct tsr_copy *c, LLVMValueRef value, LLVMValueRef old)
{
  LLVMTypeRef bit = LLVMInt1TypeInContext(c->e->llvm);
  if (value == old)
    return LLVMConstInt(bit, 0, false);
  if (!LLVMIsASelectInst(value) || LLVMTypeOf(LLVMGetOperand(value, 0)) != bit)
    return LLVMConstInt(bit, 1, false);
  LLVMValueRef yes = changes(c, LLVMGetOperand(value, 1), old), no = changes(c, LLVMGetOperand(value, 2), old);
  if (yes == no)
    return yes;
  LLVMValueRef cond = tsr_emit_frozen(c->e, tsr_copy_resolve(c, LLVMGetOperand(value, 0)));
  return LLVMBuildSelect(c->e->b, cond, yes, no, "");
}

void tsr_copy_changes(struct tsr_copy *c)
{
  struct tsr_emit *e = c->e;
  LLVMValueRef any = LLVMBuildLoad2(e->b, LLVMInt1TypeInContext(e->llvm), e->changed, "");
  for (int i = 0; i < c->s->n_write; i++) {
    LLVMValueRef old = tsr_stmt_kept(e->m, c->s, i);
    any = LLVMBuildOr(e->b, any, changes(c, c->s->write[i].value, old), "");
    if (e->m->arrays[c->s->write[i].array].origin != old) /* a copy, which is read behind the loop */
      tsr_copy_store_scalar(c, c->s->write[i].array, tsr_copy_resolve(c, old));
  }
  LLVMBuildStore(e->b, any, e->changed);
}

/* i1: does any iteration of BLOCK change something? */
static LLVMValueRef look_over(struct tsr_emit *e, const struct tsr_for *block)
{
  LLVMTypeRef bit = LLVMInt1TypeInContext(e->llvm);
  LLVMValueRef slot = tsr_emit_slot(e, bit);
  LLVMBuildStore(e->b, LLVMConstInt(bit, 0, false), slot);
  e->changed = slot;
  tsr_emit_loop(e, block);
  e->changed = NULL;
  return LLVMBuildLoad2(e->b, bit, slot, "tsr.changed");
}

/* VALUE goes to SLOT; control to BLOCK, where the builder goes on. */
static void leave(struct tsr_emit *e, LLVMValueRef value, LLVMValueRef slot, LLVMBasicBlockRef block)
{
  LLVMBuildStore(e->b, value, slot);
  LLVMBuildBr(e->b, block);
}

void tsr_emit_rare(struct tsr_emit *e, const struct tsr_for *loop)
{
  struct tsr_for block = *loop;
  LLVMValueRef zero = tsr_emit_number(e, 0), one = tsr_emit_number(e, 1), most = tsr_emit_number(e, MOST_BLIND);
  LLVMValueRef blind = tsr_emit_slot(e, e->i64), again = tsr_emit_slot(e, e->i64);
  LLVMBasicBlockRef head = tsr_emit_block(e, "tsr.block"), look = tsr_emit_block(e, "tsr.look");
  LLVMBasicBlockRef go_on = tsr_emit_block(e, "tsr.unlooked"), found = tsr_emit_block(e, "tsr.found");
  LLVMBasicBlockRef run = tsr_emit_block(e, "tsr.run"), clear = tsr_emit_block(e, "tsr.clear");
  LLVMBasicBlockRef next = tsr_emit_block(e, "tsr.endblock"), behind = tsr_emit_block(e, "tsr.behind");
  LLVMBuildStore(e->b, zero, blind);
  LLVMBuildStore(e->b, zero, again);
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b);
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, loop->first, loop->last, ""), head, behind);

  LLVMPositionBuilderAtEnd(e->b, head);
  block.first = LLVMBuildPhi(e->b, e->i64, "tsr.first");
  LLVMAddIncoming(block.first, (LLVMValueRef[]){loop->first}, &at, 1);
  /* What is left is counted without a sign: first + span may be too large a number. */
  LLVMValueRef rest = LLVMBuildSub(e->b, loop->last, block.first, "");
  LLVMValueRef span = LLVMBuildMul(e->b, loop->step, tsr_emit_number(e, TSR_RARE_BLOCK), "");
  LLVMValueRef more_left = LLVMBuildICmp(e->b, LLVMIntUGE, rest, span, "");
  LLVMValueRef behind_it = LLVMBuildAdd(e->b, block.first, span, "");
  LLVMValueRef end = LLVMBuildSub(e->b, behind_it, loop->step, "");
  block.last = LLVMBuildSelect(e->b, more_left, end, loop->last, "tsr.last");
  LLVMValueRef left = LLVMBuildLoad2(e->b, e->i64, blind, "");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, left, zero, ""), look, go_on);

  LLVMPositionBuilderAtEnd(e->b, go_on);
  leave(e, LLVMBuildSub(e->b, left, one, ""), blind, run);

  LLVMPositionBuilderAtEnd(e->b, look);
  LLVMBuildCondBr(e->b, look_over(e, &block), found, clear);

  LLVMPositionBuilderAtEnd(e->b, found);
  LLVMValueRef more = LLVMBuildLoad2(e->b, e->i64, again, "");
  more = LLVMBuildAdd(e->b, LLVMBuildShl(e->b, more, one, ""), one, "");
  more = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, more, most, ""), more, most, "");
  LLVMBuildStore(e->b, more, again);
  leave(e, more, blind, run);

  LLVMPositionBuilderAtEnd(e->b, clear);
  leave(e, zero, again, next);

  LLVMPositionBuilderAtEnd(e->b, run);
  tsr_emit_loop(e, &block);
  LLVMBuildBr(e->b, next);

  LLVMPositionBuilderAtEnd(e->b, next);
  LLVMAddIncoming(block.first, &behind_it, &next, 1);
  LLVMBuildCondBr(e->b, more_left, head, behind);
  LLVMPositionBuilderAtEnd(e->b, behind);
}
