/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parameters that are others divided by a number, as the sizes of a pyramid's levels, (n + 1) / 2:
 *
 *   p = (q + c) / d,  rounded to 0  ->  1 - d <= q + c - d p <= d - 1,   from 0 on where q + c is never negative
 *                     down          ->      0 <= q + c - d p <= d - 1 */
#include "read/values/values.h"
#include <isl/constraint.h>
#include <isl/space.h>
#include <isl/val.h>

/* The PARAM atom whose value is VALUE; -1: none. */
static int param_of(const struct tsr_model *m, LLVMValueRef value)
{
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].kind == TSR_ATOM_PARAM && m->atoms[i].value == value)
      return i;
  return -1;
}

/* VALUE without a constant that is added to it, which is left in *PLUS. */
static LLVMValueRef take_constant(LLVMValueRef value, int64_t *plus)
{
  *plus = 0;
  bool sum = LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMAdd && LLVMGetNSW(value) &&
             LLVMIsAConstantInt(LLVMGetOperand(value, 1));
  if (sum)
    *plus = LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1));
  return sum ? LLVMGetOperand(value, 0) : value;
}

/* What VALUE's instruction divides by; 0: it doesn't, or by something large. */
static int64_t divisor_of(LLVMValueRef value)
{
  LLVMOpcode opcode = value && LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : LLVMRet;
  if ((opcode != LLVMSDiv && opcode != LLVMAShr) || !LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
    return 0;
  int64_t by = LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1));
  bool small = by > 0 && by < (opcode == LLVMAShr ? 16 : 1 << 16);
  return !small ? 0 : opcode == LLVMAShr ? INT64_C(1) << by : by;
}

bool tsr_param_quotient(struct tsr_model *m, int index, struct tsr_quotient *q)
{
  LLVMValueRef value = m->atoms[index].value;
  int64_t lo, hi;
  *q = (struct tsr_quotient){.of = -1, .divisor = divisor_of(value)};
  if (q->divisor <= 1)
    return false;
  LLVMValueRef divided = LLVMGetOperand(value, 0);
  tsr_scev s = tsr_scev_of(m->a, divided);
  bool down = LLVMGetInstructionOpcode(value) == LLVMAShr || (s && tsr_scev_signed_range(m->a, s, &lo, &hi) && lo >= 0);
  q->least = down ? 0 : 1 - q->divisor;
  q->of = param_of(m, take_constant(divided, &q->plus));
  return q->of >= 0 && q->of != index;
}

/* TIMES_Q * q + TIMES_P * p + CONSTANT >= 0, in SPACE. */
static isl_constraint *relate(__isl_take isl_space *space, int q, int times_q, int p, int64_t times_p, int64_t constant)
{
  isl_constraint *c = isl_constraint_alloc_inequality(isl_local_space_from_space(space));
  isl_ctx *ctx = isl_constraint_get_ctx(c);
  c = isl_constraint_set_coefficient_si(c, isl_dim_param, q, times_q);
  c = isl_constraint_set_coefficient_val(c, isl_dim_param, p, isl_val_int_from_si(ctx, times_p));
  return isl_constraint_set_constant_val(c, isl_val_int_from_si(ctx, constant));
}

isl_set *tsr_relate_quotients(struct tsr_model *m, isl_set *set)
{
  for (int i = 0; i < m->n_atom; i++) {
    struct tsr_quotient quotient;
    if (m->atoms[i].kind != TSR_ATOM_PARAM || !tsr_param_quotient(m, i, &quotient))
      continue;
    int p = isl_set_find_dim_by_name(set, isl_dim_param, m->atoms[i].name);
    int q = isl_set_find_dim_by_name(set, isl_dim_param, m->atoms[quotient.of].name);
    if (p < 0 || q < 0)
      continue;
    isl_space *space = isl_set_get_space(set);
    int64_t d = quotient.divisor;
    set = isl_set_add_constraint(set, relate(isl_space_copy(space), q, 1, p, -d, quotient.plus - quotient.least));
    set = isl_set_add_constraint(set, relate(space, q, -1, p, d, d - 1 - quotient.plus));
  }
  return set;
}
