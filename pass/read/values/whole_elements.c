/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes -> elements:
 *
 *   p + i*stride   stride in bytes: assumed to be a multiple of the element size, stride = 8*s; i*s elements */
#include "read/values/values.h"
#include <isl/val.h>

/* T in elements of SIZE bytes, a parameter of it replaced by what it is in elements. */
static bool term_in_elements(struct tsr_model *m, struct tsr_term *t, int size, isl_set *domain)
{
  if (t->coef % size == 0) {
    t->coef /= size;
    return true;
  }
  for (int k = 0; k < t->degree; k++) {
    int atom = t->atom[k];
    if (m->atoms[atom].kind != TSR_ATOM_PARAM || !m->atoms[atom].value)
      continue;
    struct tsr_poly *p = tsr_poly_atom(atom);
    isl_pw_aff *rest = isl_pw_aff_mod_val(tsr_poly_to_pw_aff(m, p), isl_val_int_from_si(m->ctx, size));
    isl_set *bad = isl_set_complement(isl_pw_aff_zero_set(rest));
    tsr_poly_free(p);
    t->atom[k] = tsr_atom_quotient(m, atom, size);
    for (int i = t->degree - 1; i > 0; i--) /* sorted again: atoms made later have greater numbers */
      for (int j = 0; j < i; j++)
        if (t->atom[j] > t->atom[j + 1]) {
          int swap = t->atom[j];
          t->atom[j] = t->atom[j + 1];
          t->atom[j + 1] = swap;
        }
    return tsr_model_assume_not(m, isl_set_copy(domain), bad);
  }
  return false;
}

struct tsr_poly *tsr_poly_in_elements(struct tsr_model *m, struct tsr_poly *bytes, int size, isl_set *domain)
{
  struct tsr_poly *all = tsr_poly_const(0);
  for (int i = 0; all && i < bytes->n; i++) {
    struct tsr_term t = bytes->term[i];
    all = term_in_elements(m, &t, size, domain) ? tsr_poly_add(all, tsr_poly_term(&t)) : tsr_poly_free(all);
  }
  tsr_poly_free(bytes);
  return all;
}
