/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Products of parameters in offsets, as parameters of their own:
 *
 *   a[k*ld + i], k outside of the SCoP     k*ld gets a name
 *   a[k*h*w + i], i < h*w                  the name that h*w has as the end of the loop: rows of so many elements */
#include "read/memory/subscripts.h"

bool tsr_term_is_product(struct tsr_model *m, const struct tsr_term *t)
{
  return t->degree == 2 && !tsr_atom_is_counter(m, t->atom[0]) && !tsr_atom_is_counter(m, t->atom[1]);
}

bool tsr_offsets_name_products(struct tsr_model *m, int array)
{
  bool any = false;
  if (m->arrays[array].rows)
    return false;
  for (int i = 0; i < m->n_access; i++) {
    struct tsr_raw_access *access = &m->access[i];
    for (int t = 0; access->array == array && access->offset && t < access->offset->n; t++) {
      struct tsr_term term = access->offset->term[t];
      if (!tsr_term_is_product(m, &term))
        continue;
      struct tsr_term one = term;
      one.degree = 1;
      one.atom[0] = tsr_atom_product(m, term.atom[0], term.atom[1]);
      access->offset = tsr_poly_add(access->offset, tsr_poly_term(&one));
      term.coef = -term.coef;
      access->offset = tsr_poly_add(access->offset, tsr_poly_term(&term));
      any = true;
      t = -1;
    }
  }
  return any;
}

/* TERM with parameter PRODUCT in place of its factors; false: it hasn't both. */
static bool fold_term(struct tsr_model *m, int product, struct tsr_term *term)
{
  int left = 0, n_found = 0;
  struct tsr_term folded = {.coef = term->coef};
  for (int k = 0; k < term->degree; k++)
    if (n_found < 2 && term->atom[k] == m->atoms[product].factor[n_found])
      n_found++;
    else
      folded.atom[left++] = term->atom[k];
  if (n_found < 2)
    return false;
  while (left > 0 && folded.atom[left - 1] > product)
    folded.atom[left] = folded.atom[left - 1], left--;
  folded.atom[left] = product;
  folded.degree = term->degree - 1;
  *term = folded;
  return true;
}

bool tsr_offsets_fold_products(struct tsr_model *m, int array)
{
  bool any = false;
  for (int p = 0; p < m->n_atom; p++) {
    const struct tsr_atom *atom = &m->atoms[p];
    bool is =
        atom->kind == TSR_ATOM_PARAM && !atom->value && !atom->scev && !atom->pointer[0] && !atom->divisor && !atom->over[0];
    for (int i = 0; i < m->n_access && is; i++) {
      struct tsr_raw_access *access = &m->access[i];
      if (access->array != array || !access->offset)
        continue;
      struct tsr_poly *all = tsr_poly_const(0);
      for (int t = 0; t < access->offset->n; t++) {
        struct tsr_term term = access->offset->term[t];
        any |= fold_term(m, p, &term);
        all = tsr_poly_add(all, tsr_poly_term(&term));
      }
      tsr_poly_free(access->offset);
      access->offset = all;
    }
  }
  return any;
}
