/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Data as an atom of polynomials: a number that the SCoP loads, or computes from that, and of which the least and the
 * greatest are known. Only subscripts of reads are made of such (memory/data_subscripts.c). */
#include "read/values/values.h"

#define MAX_DATA (INT64_C(1) << 20)
#define MAX_DATA_DEPTH 12

/* Is VALUE computed from what the SCoP loads, from what a call returns, or from a phi that is no counter? */
static bool is_data(struct tsr_model *m, LLVMValueRef value, int depth)
{
  LLVMValueRef start;
  tsr_scev step;
  if (!LLVMIsAInstruction(value) || !tsr_model_in_region(m, value) || depth > MAX_DATA_DEPTH)
    return false;
  if (LLVMIsALoadInst(value) || LLVMIsACallInst(value))
    return true;
  bool phi = LLVMIsAPHINode(value) != NULL;
  if (phi && tsr_loop_for(m->a, LLVMGetInstructionParent(value)) &&
      tsr_loop_header(tsr_loop_for(m->a, LLVMGetInstructionParent(value))) == LLVMGetInstructionParent(value))
    return !tsr_phi_is_counter(m, value, &start, &step);
  bool found = false;
  for (int i = 0; i < LLVMGetNumOperands(value) && !found; i++)
    found = is_data(m, LLVMGetOperand(value, i), depth + 1);
  return found;
}

bool tsr_scev_is_data(struct tsr_model *m, tsr_scev s)
{
  if (tsr_scev_kind(s) == TSR_SCEV_UNKNOWN)
    return is_data(m, tsr_scev_value(s), 0);
  for (unsigned i = 0; i < tsr_scev_n_operand(s); i++)
    if (tsr_scev_is_data(m, tsr_scev_operand(s, i)))
      return true;
  return false;
}

/* The atom for SCEV. */
static int atom_data(struct tsr_model *m, tsr_scev scev, int64_t first, int64_t last)
{
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].kind == TSR_ATOM_DATA && m->atoms[i].scev == scev)
      return i;
  struct tsr_atom data = {
      .kind = TSR_ATOM_DATA, .scev = scev, .first = first, .last = last, .name = tsr_atom_name(m, NULL, "data")};
  return tsr_atom_new(m, data);
}

bool tsr_poly_has_data(const struct tsr_model *m, const struct tsr_poly *p)
{
  for (int t = 0; t < p->n; t++)
    for (int k = 0; k < p->term[t].degree; k++)
      if (m->atoms[p->term[t].atom[k]].kind == TSR_ATOM_DATA)
        return true;
  return false;
}

struct tsr_poly *tsr_poly_data(struct tsr_model *m, tsr_scev s, enum tsr_sign sign)
{
  int64_t first, last, low, high;
  if (!tsr_scev_is_data(m, s) || !tsr_scev_signed_range(m->a, s, &first, &last))
    return NULL;
  if (tsr_scev_kind(s) == TSR_SCEV_UNKNOWN && tsr_value_signed_range(tsr_scev_value(s), &low, &high)) {
    first = low > first ? low : first;
    last = high < last ? high : last;
  }
  if (first < (sign == TSR_UNSIGNED ? 0 : -MAX_DATA) || last > MAX_DATA)
    return NULL;
  return tsr_poly_atom(atom_data(m, s, first, last));
}
