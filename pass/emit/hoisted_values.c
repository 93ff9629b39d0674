/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parameters and what else is computed in front of the SCoP: copies of its instructions, expressions of scalar evolution,
 * products, quotients and distances that have no value in the original. */
#include "emit/emitter.h"

/* A parameter that is computed inside the SCoP from what comes in (tsr_poly_of has seen that it can be): compute it in
 * front, without flags, because it may not have been computed at all. */
LLVMValueRef tsr_emit_hoisted(struct tsr_emit *e, LLVMValueRef value)
{
  if (!tsr_model_in_region(e->m, value))
    return value;
  LLVMValueRef copy = tsr_clone_inst(value, false);
  for (int i = 0; i < LLVMGetNumOperands(value); i++)
    LLVMSetOperand(copy, i, tsr_emit_hoisted(e, LLVMGetOperand(value, i)));
  LLVMInsertIntoBuilder(e->b, copy);
  return copy;
}

/* A and B, combined as KIND says */
static LLVMValueRef combine(struct tsr_emit *e, enum tsr_scev_kind kind, LLVMValueRef a, LLVMValueRef b)
{
  switch (kind) {
  case TSR_SCEV_ADD:
    return LLVMBuildAdd(e->b, a, b, "");
  case TSR_SCEV_MUL:
    return LLVMBuildMul(e->b, a, b, "");
  case TSR_SCEV_UDIV:
    return LLVMBuildUDiv(e->b, a, b, "");
  case TSR_SCEV_SMAX:
    return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSGT, a, b, ""), a, b, "");
  case TSR_SCEV_UMAX:
    return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntUGT, a, b, ""), a, b, "");
  case TSR_SCEV_SMIN:
    return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, a, b, ""), a, b, "");
  default: /* UMIN: there is no other */
    return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntULT, a, b, ""), a, b, "");
  }
}

LLVMValueRef tsr_emit_scev(struct tsr_emit *e, tsr_scev s)
{
  enum tsr_scev_kind kind = tsr_scev_kind(s);
  LLVMTypeRef type = LLVMIntTypeInContext(e->llvm, tsr_scev_bits(e->m->a, s));
  int64_t value = 0;
  if (kind == TSR_SCEV_CONSTANT)
    return tsr_scev_constant(s, &value), LLVMConstInt(type, (uint64_t)value, true);
  if (kind == TSR_SCEV_UNKNOWN)
    return tsr_emit_frozen(e, tsr_emit_hoisted(e, tsr_scev_value(s)));
  if (kind == TSR_SCEV_PTRTOINT)
    return LLVMBuildPtrToInt(e->b, tsr_emit_frozen(e, tsr_scev_value(tsr_scev_operand(s, 0))), type, "");
  LLVMValueRef all = tsr_emit_scev(e, tsr_scev_operand(s, 0));
  if (kind == TSR_SCEV_SEXT)
    return LLVMBuildSExt(e->b, all, type, "");
  if (kind == TSR_SCEV_ZEXT)
    return LLVMBuildZExt(e->b, all, type, "");
  if (kind == TSR_SCEV_TRUNC)
    return LLVMBuildTrunc(e->b, all, type, "");
  for (unsigned i = 1; i < tsr_scev_n_operand(s); i++)
    all = combine(e, kind, all, tsr_emit_scev(e, tsr_scev_operand(s, i)));
  return all;
}

/* Bytes from one element of A to the next in dimension D, of which those in dimension D + 1 are INNER bytes apart. */
LLVMValueRef tsr_emit_pitch(struct tsr_emit *e, const struct tsr_array_info *a, int d, LLVMValueRef inner)
{
  if (a->pitch)
    return LLVMBuildMul(e->b, tsr_emit_number(e, a->elem_size), tsr_emit_size(e, a->pitch[d]), "");
  return LLVMBuildMul(e->b, inner, tsr_emit_size(e, a->size[d]), "");
}

/* Of two parameters (which come earlier in the table); both below 2^31 by assumption, so that nothing is lost. */
static LLVMValueRef product(struct tsr_emit *e, const int factor[2])
{
  LLVMValueRef side[2];
  for (int i = 0; i < 2; i++)
    side[i] = LLVMBuildSExt(e->b, e->m->atoms[factor[i]].value, e->i64, "");
  return LLVMBuildMul(e->b, side[0], side[1], "tsr.product");
}

/* Of a parameter that comes earlier in the table; without rest by assumption. */
static LLVMValueRef quotient(struct tsr_emit *e, const struct tsr_atom *atom)
{
  LLVMValueRef value = LLVMBuildSExt(e->b, e->m->atoms[atom->factor[0]].value, e->i64, "");
  return LLVMBuildSDiv(e->b, value, LLVMConstInt(e->i64, atom->divisor, false), "tsr.stride");
}

/* Of two polynomials over parameters that come earlier in the table. */
static LLVMValueRef ratio(struct tsr_emit *e, struct tsr_poly *const over[2])
{
  LLVMValueRef a = tsr_emit_size(e, over[0]), b = tsr_emit_size(e, over[1]), zero = tsr_emit_number(e, 0);
  LLVMValueRef good =
      LLVMBuildAnd(e->b, LLVMBuildICmp(e->b, LLVMIntSGE, a, zero, ""), LLVMBuildICmp(e->b, LLVMIntSGT, b, zero, ""), "");
  b = LLVMBuildSelect(e->b, good, b, tsr_emit_number(e, 1), "");
  return LLVMBuildSelect(e->b, good, LLVMBuildUDiv(e->b, a, b, ""), zero, "tsr.rows");
}

/* In bytes, from the second to the first. */
static LLVMValueRef distance(struct tsr_emit *e, LLVMValueRef pointer[2])
{
  LLVMValueRef side[2];
  for (int i = 0; i < 2; i++)
    side[i] = LLVMBuildPtrToInt(e->b, tsr_emit_frozen(e, pointer[i]), e->i64, "");
  return LLVMBuildSub(e->b, side[0], side[1], "tsr.bytes");
}

/* The original may never use a parameter, and then it may be undef or poison; a branch on that would be undefined. */
void tsr_emit_bind_parameters(struct tsr_emit *e, unsigned missing)
{
  for (int i = 0; i < e->m->n_atom; i++) {
    struct tsr_atom *atom = &e->m->atoms[i];
    if (atom->kind != TSR_ATOM_PARAM || atom->bound || (tsr_atom_needs(e->m, i) & missing))
      continue;
    atom->bound = true;
    atom->value = atom->value        ? tsr_emit_frozen(e, tsr_emit_hoisted(e, atom->value))
                  : atom->pointer[0] ? distance(e, atom->pointer)
                  : atom->divisor    ? quotient(e, atom)
                  : atom->over[0]    ? ratio(e, atom->over)
                  : atom->scev       ? tsr_emit_scev(e, atom->scev)
                                     : product(e, atom->factor);
    tsr_emit_bind(e, atom->name, LLVMBuildSExt(e->b, atom->value, e->i64, ""));
  }
}

/* Where code moves out what it computes of its own needn't be at hand in front, a register that the original would share. */
void tsr_emit_bind_parameters_anew(struct tsr_emit *e)
{
  int n = e->n_var;
  for (int i = 0; i < n; i++)
    if (LLVMIsASExtInst(e->var[i].value)) {
      LLVMValueRef value = LLVMBuildSExt(e->b, LLVMGetOperand(e->var[i].value, 0), e->i64, "");
      tsr_emit_bind(e, e->var[i].name, value);
    }
}

/* A polynomial over parameters: that of a size, which the run-time condition has seen not to wrap. */
LLVMValueRef tsr_emit_size(struct tsr_emit *e, const struct tsr_poly *size)
{
  LLVMValueRef sum = tsr_emit_number(e, 0);
  for (int i = 0; i < size->n; i++) {
    LLVMValueRef term = tsr_emit_number(e, size->term[i].coef);
    for (int k = 0; k < size->term[i].degree; k++)
      term = LLVMBuildMul(e->b, term, LLVMBuildSExt(e->b, e->m->atoms[size->term[i].atom[k]].value, e->i64, ""), "");
    sum = LLVMBuildAdd(e->b, sum, term, "");
  }
  return sum;
}
