/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Can two SCoPs of one function be rewritten independently of each other? */
#include "read/read.h"

/* Is something in S computed in B? */
static bool scev_takes_from(tsr_scev s, const struct tsr_model *b)
{
  if (tsr_scev_kind(s) == TSR_SCEV_UNKNOWN)
    return tsr_model_in_region(b, tsr_scev_value(s));
  for (unsigned i = 0; i < tsr_scev_n_operand(s); i++)
    if (scev_takes_from(tsr_scev_operand(s, i), b))
      return true;
  return false;
}

bool tsr_model_takes_from(const struct tsr_model *a, const struct tsr_model *b)
{
  for (int i = 0; i < a->n_atom; i++) {
    const struct tsr_atom *atom = &a->atoms[i];
    if (atom->kind != TSR_ATOM_PARAM)
      continue;
    for (int k = 0; k < 2; k++)
      if (atom->pointer[k] && tsr_model_in_region(b, atom->pointer[k]))
        return true;
    if ((atom->value && tsr_model_in_region(b, atom->value)) || (atom->scev && scev_takes_from(atom->scev, b)))
      return true;
  }
  for (int i = 0; i < a->n_array; i++)
    if (a->arrays[i].base && tsr_model_in_region(b, a->arrays[i].base))
      return true;
  for (int i = 0; i < a->n_lift; i++)
    for (int k = 0; k < a->lift[i].n_before; k++)
      if (tsr_model_in_region(b, a->lift[i].before[k]))
        return true;
  return false;
}
