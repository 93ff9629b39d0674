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
 * next one is not looked over, behind the next that is changed the next three, which are one block then, and so on.
 *
 * Where x is but an extreme, x = v(i) < x ? v(i) : x, a block that changes it need not run either: of whole numbers LLVM
 * makes vectors, and the bits of floating-point ones can be read as such whose order is theirs:
 *
 *   least = none;  for i = first .. last: least = v(i) < x ? min(least, key(v(i))) : least
 *   if (least isn't none) x = number(least)
 *
 * Among equal keys it doesn't matter which one is taken. Zeros of both signs are equal and have different keys: where the
 * least is none that the order of keys is sure to be right about, which NaNs aren't either, nor what may be taken for zero
 * where the processor is told so, the block runs. */
#include "emit/statement_code.h"
#include <float.h>

/* So many blocks run before there is another look, at most. */
#define MOST_BLIND 15

#define MAX_EXTREMES 4 /* of a statement */
/* Numbers in a vector: with two, which SSE2 has to compare eight bytes in pieces for, it took twice as long as one by one.
 */
#define LEAST_LANES 4

/* What instances are asked: does any change something? Or, in `key`, for the extremes among their values. */
struct tsr_look {
  LLVMValueRef any, key[MAX_EXTREMES];      /* slots */
  struct tsr_stmt_info *s;                  /* found on the way; */
  struct tsr_extreme extreme[MAX_EXTREMES]; /* for each write, */
  int n_extreme;                            /* 0: it isn't made of extremes alone */
};

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

/* ---- numbers in order ------------------------------------------------------------------------------------------------ */

static bool is_double(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
}

/* What S writes, as extremes; none if one isn't, there are too many, or vectors are too short for what it takes. */
static void find_extremes(struct tsr_look *look, const struct tsr_emit *e, struct tsr_stmt_info *s)
{
  look->s = s;
  look->n_extreme = s->n_write <= MAX_EXTREMES ? s->n_write : 0;
  for (int i = 0; i < look->n_extreme; i++) {
    bool good = tsr_stmt_extreme(e->m, s, i, &look->extreme[i]);
    if (!good || e->m->scop->machine.vector_bytes < LEAST_LANES * (is_double(LLVMTypeOf(look->extreme[i].old)) ? 8 : 4))
      look->n_extreme = 0;
  }
}

/* The whole numbers as long as numbers of TYPE. */
static LLVMTypeRef key_type(struct tsr_emit *e, LLVMTypeRef type)
{
  return LLVMIntTypeInContext(e->llvm, is_double(type) ? 64 : 32);
}

/* No value's key: the one in front of all, or behind. What isn't a number has the one at the other end, if it counts. */
static LLVMValueRef no_key(struct tsr_emit *e, const struct tsr_extreme *x, bool other_end)
{
  LLVMTypeRef type = key_type(e, LLVMTypeOf(x->old));
  uint64_t least = 1ull << (LLVMGetIntTypeWidth(type) - 1);
  return LLVMConstInt(type, x->largest != other_end ? least : least - 1, false);
}

/* The bits of numbers whose sign is set are in the wrong order: turn them. Done twice they are what they were. */
static LLVMValueRef turned(struct tsr_emit *e, LLVMValueRef key)
{
  LLVMTypeRef type = LLVMTypeOf(key);
  unsigned bits = LLVMGetIntTypeWidth(type);
  LLVMValueRef sign = LLVMBuildAShr(e->b, key, LLVMConstInt(type, bits - 1, false), "");
  return LLVMBuildXor(e->b, key, LLVMBuildLShr(e->b, sign, LLVMConstInt(type, 1, false), ""), "");
}

/* This instance's value goes to KEY if it would be written, and is beyond what is there. */
static void note_extreme(struct tsr_copy *c, const struct tsr_extreme *x, LLVMValueRef slot)
{
  struct tsr_emit *e = c->e;
  LLVMValueRef cond = tsr_emit_frozen(e, tsr_copy_resolve(c, x->cond));
  LLVMValueRef value = tsr_emit_frozen(e, tsr_copy_resolve(c, x->other));
  LLVMTypeRef type = key_type(e, LLVMTypeOf(value));
  LLVMValueRef key = turned(e, LLVMBuildBitCast(e->b, value, type, "")), none = no_key(e, x, false);
  if (x->unordered)
    key = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealUNO, value, value, ""), no_key(e, x, true), key, "");
  key = x->when ? LLVMBuildSelect(e->b, cond, key, none, "") : LLVMBuildSelect(e->b, cond, none, key, "");
  LLVMValueRef had = LLVMBuildLoad2(e->b, type, slot, "");
  LLVMValueRef beyond = LLVMBuildICmp(e->b, x->largest ? LLVMIntSGT : LLVMIntSLT, key, had, "");
  LLVMBuildStore(e->b, LLVMBuildSelect(e->b, beyond, key, had, ""), slot);
}

/* i1: may KEY, a block's extreme X, be another number than the block's iterations leave? What it is goes to VALUE. */
static LLVMValueRef is_unsure(struct tsr_emit *e, const struct tsr_extreme *x, LLVMValueRef key, LLVMValueRef *value)
{
  LLVMTypeRef type = LLVMTypeOf(x->old), key_kind = LLVMTypeOf(key);
  *value = LLVMBuildBitCast(e->b, turned(e, key), type, "");
  uint64_t no_sign = (1ull << (LLVMGetIntTypeWidth(key_kind) - 1)) - 1;
  LLVMValueRef size =
      LLVMBuildAnd(e->b, LLVMBuildBitCast(e->b, *value, key_kind, ""), LLVMConstInt(key_kind, no_sign, false), "");
  LLVMValueRef normal = LLVMConstBitCast(LLVMConstReal(type, is_double(type) ? DBL_MIN : FLT_MIN), key_kind);
  LLVMValueRef unsure = LLVMBuildICmp(e->b, LLVMIntULT, size, normal, "");
  if (x->unordered)
    unsure = LLVMBuildOr(e->b, unsure, LLVMBuildICmp(e->b, LLVMIntEQ, key, no_key(e, x, true), ""), "");
  return unsure;
}

/* OLD, a value that S reads and writes, at hand */
static LLVMValueRef load_old(struct tsr_emit *e, const struct tsr_stmt_info *s, LLVMValueRef old)
{
  int i = 0;
  while (e->m->arrays[s->write[i].array].origin != old)
    i++;
  return LLVMBuildLoad2(e->b, LLVMTypeOf(old), e->m->arrays[s->write[i].array].slot, "");
}

/* The extremes of BLOCK are written; control goes to RUN, where nothing is written yet, or to NEXT. */
static void fold_block(struct tsr_emit *e, const struct tsr_for *block, const struct tsr_look *found, LLVMBasicBlockRef run,
                       LLVMBasicBlockRef next)
{
  struct tsr_look look = *found;
  LLVMTypeRef bit = LLVMInt1TypeInContext(e->llvm);
  for (int i = 0; i < look.n_extreme; i++) {
    look.key[i] = tsr_emit_slot(e, key_type(e, LLVMTypeOf(look.extreme[i].old)));
    LLVMBuildStore(e->b, no_key(e, &look.extreme[i], false), look.key[i]);
  }
  e->look = &look;
  tsr_emit_loop(e, block);
  e->look = NULL;
  LLVMValueRef value[MAX_EXTREMES], none[MAX_EXTREMES], unsure = LLVMConstInt(bit, 0, false);
  for (int i = 0; i < look.n_extreme; i++) {
    LLVMValueRef key = LLVMBuildLoad2(e->b, key_type(e, LLVMTypeOf(look.extreme[i].old)), look.key[i], "");
    none[i] = LLVMBuildICmp(e->b, LLVMIntEQ, key, no_key(e, &look.extreme[i], false), "");
    LLVMValueRef other = is_unsure(e, &look.extreme[i], key, &value[i]);
    unsure = LLVMBuildOr(e->b, unsure, LLVMBuildAnd(e->b, other, LLVMBuildNot(e->b, none[i], ""), ""), "");
  }
  LLVMBasicBlockRef sure = tsr_emit_block(e, "tsr.sure");
  LLVMBuildCondBr(e->b, unsure, run, sure);
  LLVMPositionBuilderAtEnd(e->b, sure);
  struct tsr_copy c = {.e = e, .s = look.s};
  for (int i = 0; i < look.n_extreme; i++) {
    LLVMValueRef was = load_old(e, look.s, look.extreme[i].old);
    value[i] = LLVMBuildSelect(e->b, none[i], was, value[i], "");
  }
  for (int i = 0; i < look.n_extreme; i++)
    tsr_copy_store_scalar(&c, look.s->write[i].array, value[i]);
  LLVMBuildBr(e->b, next);
}

/* ---- blocks ---------------------------------------------------------------------------------------------------------- */

void tsr_copy_changes(struct tsr_copy *c)
{
  struct tsr_emit *e = c->e;
  if (!e->look->any) {
    for (int i = 0; i < e->look->n_extreme; i++)
      note_extreme(c, &e->look->extreme[i], e->look->key[i]);
    return;
  }
  LLVMValueRef any = LLVMBuildLoad2(e->b, LLVMInt1TypeInContext(e->llvm), e->look->any, "");
  for (int i = 0; i < c->s->n_write; i++) {
    LLVMValueRef old = tsr_stmt_kept(e->m, c->s, i);
    any = LLVMBuildOr(e->b, any, changes(c, c->s->write[i].value, old), "");
    if (e->m->arrays[c->s->write[i].array].origin != old) /* a copy, which is read behind the loop */
      tsr_copy_store_scalar(c, c->s->write[i].array, tsr_copy_resolve(c, old));
  }
  LLVMBuildStore(e->b, any, e->look->any);
  find_extremes(e->look, e, c->s);
}

/* i1: does any iteration of BLOCK change something? What they would change is found in LOOK. */
static LLVMValueRef look_over(struct tsr_emit *e, const struct tsr_for *block, struct tsr_look *look)
{
  LLVMTypeRef bit = LLVMInt1TypeInContext(e->llvm);
  *look = (struct tsr_look){.any = tsr_emit_slot(e, bit)};
  LLVMBuildStore(e->b, LLVMConstInt(bit, 0, false), look->any);
  e->look = look;
  tsr_emit_loop(e, block);
  e->look = NULL;
  LLVMValueRef any = LLVMBuildLoad2(e->b, bit, look->any, "tsr.changed");
  look->any = NULL;
  return any;
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
  struct tsr_look seen;
  LLVMValueRef zero = tsr_emit_number(e, 0), one = tsr_emit_number(e, 1), most = tsr_emit_number(e, MOST_BLIND);
  LLVMValueRef blind = tsr_emit_slot(e, e->i64), again = tsr_emit_slot(e, e->i64);
  LLVMBasicBlockRef head = tsr_emit_block(e, "tsr.block"), look = tsr_emit_block(e, "tsr.look");
  LLVMBasicBlockRef go_on = tsr_emit_block(e, "tsr.unlooked"), found = tsr_emit_block(e, "tsr.found");
  LLVMBasicBlockRef change = tsr_emit_block(e, "tsr.change"), run = tsr_emit_block(e, "tsr.run");
  LLVMBasicBlockRef clear = tsr_emit_block(e, "tsr.clear"), next = tsr_emit_block(e, "tsr.endblock");
  LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.behind");
  LLVMBuildStore(e->b, zero, blind);
  LLVMBuildStore(e->b, zero, again);
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b);
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, loop->first, loop->last, ""), head, behind);

  LLVMPositionBuilderAtEnd(e->b, head);
  block.first = LLVMBuildPhi(e->b, e->i64, "tsr.first");
  LLVMAddIncoming(block.first, (LLVMValueRef[]){loop->first}, &at, 1);
  /* What is left is counted without a sign: first + span may be too large a number. */
  LLVMValueRef rest = LLVMBuildSub(e->b, loop->last, block.first, "");
  LLVMValueRef left = LLVMBuildLoad2(e->b, e->i64, blind, ""), looks = LLVMBuildICmp(e->b, LLVMIntEQ, left, zero, "");
  LLVMValueRef blocks = LLVMBuildSelect(e->b, looks, one, left, "");
  LLVMValueRef span = LLVMBuildMul(e->b, loop->step, LLVMBuildMul(e->b, blocks, tsr_emit_number(e, TSR_RARE_BLOCK), ""), "");
  LLVMValueRef more_left = LLVMBuildICmp(e->b, LLVMIntUGE, rest, span, "");
  LLVMValueRef behind_it = LLVMBuildAdd(e->b, block.first, span, "");
  LLVMValueRef end = LLVMBuildSub(e->b, behind_it, loop->step, "");
  block.last = LLVMBuildSelect(e->b, more_left, end, loop->last, "tsr.last");
  LLVMBuildCondBr(e->b, looks, look, go_on);

  LLVMPositionBuilderAtEnd(e->b, go_on);
  leave(e, zero, blind, change);

  LLVMPositionBuilderAtEnd(e->b, look);
  LLVMBuildCondBr(e->b, look_over(e, &block, &seen), found, clear);

  LLVMPositionBuilderAtEnd(e->b, found);
  LLVMValueRef more = LLVMBuildLoad2(e->b, e->i64, again, "");
  more = LLVMBuildAdd(e->b, LLVMBuildShl(e->b, more, one, ""), one, "");
  more = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, more, most, ""), more, most, "");
  LLVMBuildStore(e->b, more, again);
  leave(e, more, blind, change);

  LLVMPositionBuilderAtEnd(e->b, clear);
  leave(e, zero, again, next);

  LLVMPositionBuilderAtEnd(e->b, change);
  if (seen.n_extreme)
    fold_block(e, &block, &seen, run, next);
  else
    LLVMBuildBr(e->b, run);

  LLVMPositionBuilderAtEnd(e->b, run);
  tsr_emit_loop(e, &block);
  LLVMBuildBr(e->b, next);

  LLVMPositionBuilderAtEnd(e->b, next);
  LLVMAddIncoming(block.first, &behind_it, &next, 1);
  LLVMBuildCondBr(e->b, more_left, head, behind);
  LLVMPositionBuilderAtEnd(e->b, behind);
}
