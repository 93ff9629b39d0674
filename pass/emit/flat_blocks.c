/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Inner blocks of a statement as selects, in loops for the vectoriser:
 *
 *   p = a[i][j] != 0;  br p, M, L                 p = a[i][j] != 0
 *   L: q = b[k][j] != 0;  br M              ->    q = b[k][j] != 0
 *   M: r = phi (true, q)                          r = select p, true, q
 *
 * LLVM's vectoriser would do the same, were it not for the loads: one under a condition needs a mask, or is done lane by
 * lane. So this is for blocks that load, and load but elements that instances touch without a condition of their own
 * (tsr_scop_find_sure), which any of them may load. Such a load loses what the original promises of its value, and has the
 * least alignment of all that touch the array.
 *
 * Its address must be the one of the model where the original would not compute it, too: what is computed with the numbers
 * of loops, and not known to stay in its type, keeps its branch. So does what may trap or writes memory. */
#include "emit/statement_code.h"
#include <stdlib.h>
#include <string.h>

static bool is_plain(struct tsr_model *m, LLVMValueRef value);

/* Is VALUE the number of an iteration? */
static bool is_counter(struct tsr_model *m, LLVMValueRef value)
{
  LLVMValueRef start;
  tsr_scev step;
  return LLVMIsAPHINode(value) && tsr_phi_is_counter(m, value, &start, &step);
}

/* A number plus or minus a constant, in its type at all iterations? */
static bool stays_in_type(struct tsr_model *m, LLVMValueRef sum)
{
  LLVMOpcode op = LLVMGetInstructionOpcode(sum);
  LLVMValueRef number = LLVMGetOperand(sum, 0), by = LLVMGetOperand(sum, 1);
  unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(sum));
  int64_t lo, hi;
  if ((op != LLVMAdd && op != LLVMSub) || bits < 2 || bits >= 64 || !LLVMIsAConstantInt(by) || !is_plain(m, number) ||
      !tsr_scev_signed_range(m->a, tsr_scev_of(m->a, number), &lo, &hi))
    return false;
  int64_t c = LLVMConstIntGetSExtValue(by), most = (INT64_C(1) << (bits - 1)) - 1;
  c = op == LLVMSub ? -c : c;
  return lo + c >= -most - 1 && hi + c <= most;
}

/* Has VALUE, an address or a part of one, the same meaning in all instances? */
static bool is_plain(struct tsr_model *m, LLVMValueRef value)
{
  if (!LLVMIsAInstruction(value) || !tsr_model_in_region(m, value) || is_counter(m, value))
    return true;
  LLVMOpcode op = LLVMGetInstructionOpcode(value);
  LLVMTypeRef type = LLVMTypeOf(value);
  bool wide = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64;
  if (op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl) {
    bool both = wide && is_plain(m, LLVMGetOperand(value, 0)) && is_plain(m, LLVMGetOperand(value, 1));
    return both || (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && stays_in_type(m, value));
  }
  bool plain = op == LLVMGetElementPtr || op == LLVMSExt || op == LLVMZExt;
  for (int i = 0; i < LLVMGetNumOperands(value) && plain; i++)
    plain = is_plain(m, LLVMGetOperand(value, (unsigned)i));
  return plain;
}

/* The least alignment of what touches ARRAY; 0: there is a transfer. */
static unsigned least_alignment(struct tsr_model *m, int array)
{
  unsigned least = 0;
  for (int i = 0; i < m->n_access; i++) {
    LLVMValueRef inst = m->access[i].inst;
    if (m->access[i].array != array || m->access[i].stmt < 0)
      continue;
    if (!LLVMIsALoadInst(inst) && !LLVMIsAStoreInst(inst))
      return 0;
    unsigned alignment = LLVMGetAlignment(inst);
    least = !least || alignment < least ? alignment : least;
  }
  return least;
}

/* Load what ACCESS loads, here. */
static void load_here(struct tsr_copy *c, const struct tsr_raw_access *access)
{
  unsigned alignment = least_alignment(c->e->m, access->array);
  static const char *const promises[] = {"range",           "nofpclass",       "noundef",     "nonnull",       "align",
                                         "dereferenceable", "invariant.group", "nontemporal", "invariant.load"};
  c->no_flags = true;
  LLVMValueRef copy = tsr_copy_inst(c, access->inst);
  c->no_flags = false;
  for (size_t i = 0; i < sizeof(promises) / sizeof(*promises); i++)
    tsr_set_metadata(copy, promises[i], NULL);
  if (LLVMGetAlignment(copy) > alignment)
    LLVMSetAlignment(copy, alignment);
  tsr_copy_annotate(c->e, access->inst, copy);
  tsr_copy_bind(&c->map, &c->n, access->inst, copy);
}

/* The access of the statement at hand that INST, a load, is, if any of its instances may load it; NULL else. */
static const struct tsr_raw_access *sure_access(struct tsr_copy *c, LLVMValueRef inst)
{
  struct tsr_model *m = c->e->m;
  const struct tsr_raw_access *access = NULL;
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].inst == inst && m->access[i].stmt == (int)(c->s - m->stmts))
      access = access ? NULL : &m->access[i];
  bool plain = access && access->sure && !access->row && is_plain(m, LLVMGetOperand(inst, 0));
  return plain && least_alignment(m, access->array) ? access : NULL;
}

/* Can INST run where the original doesn't, if nothing uses its value there? */
static bool is_harmless(LLVMValueRef inst)
{
  static const char *const pure[] = {"llvm.fabs.", "llvm.abs.",  "llvm.smax.",   "llvm.smin.",   "llvm.umax.",
                                     "llvm.umin.", "llvm.fma.",  "llvm.fmuladd", "llvm.maxnum.", "llvm.minnum.",
                                     "llvm.sqrt.", "llvm.floor", "llvm.ceil.",   "llvm.copysign"};
  LLVMOpcode op = LLVMGetInstructionOpcode(inst);
  if (op == LLVMCall) {
    LLVMValueRef callee = LLVMGetCalledValue(inst);
    size_t length = 0;
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
    bool known = LLVMGetCallSiteAttributeCount(inst, LLVMAttributeReturnIndex) == 0;
    for (size_t i = 0; known && i < sizeof(pure) / sizeof(*pure); i++)
      if (!strncmp(name, pure[i], strlen(pure[i])))
        return true;
    return false;
  }
  return op == LLVMICmp || op == LLVMFCmp || op == LLVMSelect || op == LLVMPHI || op == LLVMGetElementPtr ||
         op == LLVMFNeg || op == LLVMFreeze || op == LLVMTrunc || op == LLVMZExt || op == LLVMSExt || op == LLVMFPToUI ||
         op == LLVMFPToSI || op == LLVMUIToFP || op == LLVMSIToFP || op == LLVMFPTrunc || op == LLVMFPExt ||
         (LLVMIsABinaryOperator(inst) && op != LLVMUDiv && op != LLVMSDiv && op != LLVMURem && op != LLVMSRem);
}

/* How block FROM, -1: the first, leads on: by branches alone, none of them back? */
static bool branches(struct tsr_copy *c, int from)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(from < 0 ? c->s->block : c->s->inner.block[from]);
  bool on = LLVMGetInstructionOpcode(end) == LLVMBr;
  for (unsigned i = 0; on && i < LLVMGetNumSuccessors(end); i++) {
    on = LLVMGetSuccessor(end, i) == c->s->meet;
    for (int b = from + 1; b < c->s->inner.n && !on; b++)
      on = LLVMGetSuccessor(end, i) == c->s->inner.block[b];
  }
  return on;
}

/* Can all inner blocks become selects, and does one of them load? */
static bool can_be_flat(struct tsr_copy *c)
{
  struct tsr_stmt_info *s = c->s;
  bool can = true, loads = false;
  for (int b = -1; b < s->inner.n && can; b++)
    can = branches(c, b);
  for (int i = 0; i < s->n_write && can; i++)
    can = s->write[i].from == s->block || c->e->m->arrays[s->write[i].array].is_phi;
  for (int i = 0; i < s->n_inst && can; i++) {
    if (!tsr_blocks_have(&s->inner, LLVMGetInstructionParent(s->inst[i])))
      continue;
    bool load = LLVMIsALoadInst(s->inst[i]);
    loads |= load;
    can = load ? sure_access(c, s->inst[i]) != NULL : is_harmless(s->inst[i]);
  }
  return can && loads;
}

/* Where control would be: i1 by inner block, NULL: there in any case. */
struct masks {
  struct tsr_copy *c;
  LLVMValueRef *of;
};

/* A and B, or A or B, of which B may be poison where A tells */
static LLVMValueRef either(struct masks *f, bool both, LLVMValueRef a, LLVMValueRef b)
{
  LLVMValueRef fixed = LLVMConstInt(LLVMTypeOf(a), both ? 0 : 1, false);
  return both ? LLVMBuildSelect(f->c->e->b, a, b, fixed, "") : LLVMBuildSelect(f->c->e->b, a, fixed, b, "");
}

/* Does BLOCK lead to TO? Then *MASK: is that where control goes? */
static bool leads(struct masks *f, LLVMBasicBlockRef block, LLVMBasicBlockRef to, LLVMValueRef *mask)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block), condition = tsr_branch_condition(block);
  LLVMBasicBlockRef first = LLVMGetSuccessor(end, 0), second = condition ? LLVMGetSuccessor(end, 1) : first;
  *mask = NULL;
  for (int b = 0; b < f->c->s->inner.n; b++)
    if (f->c->s->inner.block[b] == block)
      *mask = f->of[b];
  if (first != to && second != to)
    return false;
  if (first == second)
    return true;
  LLVMValueRef taken = tsr_copy_resolve(f->c, condition);
  if (first != to)
    taken = LLVMBuildNot(f->c->e->b, taken, "");
  *mask = *mask ? either(f, true, *mask, taken) : taken;
  return true;
}

/* Append what is VALUE if MASK to *ALL. */
static void choose(struct masks *f, LLVMValueRef mask, LLVMValueRef value, LLVMValueRef *all)
{
  *all = *all && mask ? LLVMBuildSelect(f->c->e->b, mask, value, *all, "") : value;
}

/* PHI, of an inner block, as selects. */
static LLVMValueRef phi_value(struct masks *f, LLVMValueRef phi)
{
  LLVMValueRef all = NULL, mask;
  for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
    if (leads(f, LLVMGetIncomingBlock(phi, k), LLVMGetInstructionParent(phi), &mask))
      choose(f, mask, tsr_copy_resolve(f->c, LLVMGetIncomingValue(phi, k)), &all);
  return all;
}

/* The instructions of inner block B, which have no branches around them. */
static void flat_block(struct masks *f, int b)
{
  struct tsr_copy *c = f->c;
  LLVMBasicBlockRef block = c->s->inner.block[b];
  bool always = false, any = false;
  for (int k = -1; k < b; k++) {
    LLVMValueRef mask;
    if (!leads(f, k < 0 ? c->s->block : c->s->inner.block[k], block, &mask))
      continue;
    always |= !mask;
    f->of[b] = always ? NULL : any ? either(f, false, f->of[b], mask) : mask;
    any = true;
  }
  for (int i = 0; i < c->s->n_inst; i++) {
    LLVMValueRef inst = c->s->inst[i];
    if (LLVMGetInstructionParent(inst) != block)
      continue;
    if (LLVMIsALoadInst(inst))
      load_here(c, sure_access(c, inst));
    else
      tsr_copy_bind(&c->map, &c->n, inst, LLVMIsAPHINode(inst) ? phi_value(f, inst) : tsr_copy_inst(c, inst));
  }
}

/* What write I, to a phi of the block where all meet, is. */
static LLVMValueRef meeting_value(struct masks *f, int i)
{
  struct tsr_stmt_info *s = f->c->s;
  LLVMValueRef all = NULL, mask;
  for (int k = 0; k < s->n_write; k++)
    if (s->write[k].array == s->write[i].array && leads(f, s->write[k].from, s->meet, &mask))
      choose(f, mask, tsr_copy_resolve(f->c, s->write[k].value), &all);
  return all;
}

bool tsr_copy_flat(struct tsr_copy *c)
{
  if (!c->e->access_group || c->e->gpu || !can_be_flat(c))
    return false;
  struct tsr_stmt_info *s = c->s;
  struct masks f = {c, calloc(s->inner.n + 1, sizeof(*f.of))};
  LLVMValueRef *value = calloc(s->n_write + 1, sizeof(*value));
  for (int b = 0; b < s->inner.n; b++)
    flat_block(&f, b);
  for (int i = 0; i < s->n_write; i++) {
    bool first = c->e->m->arrays[s->write[i].array].is_phi;
    for (int k = 0; k < i; k++)
      first &= s->write[k].array != s->write[i].array;
    value[i] = first ? meeting_value(&f, i) : NULL;
    if (!value[i] && (first || !c->e->m->arrays[s->write[i].array].is_phi))
      value[i] = c->late[i];
  }
  for (int i = 0; i < s->n_write; i++)
    if (value[i])
      tsr_copy_store_scalar(c, s->write[i].array, value[i]);
  free(value);
  free(f.of);
  return true;
}
