/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strides that are parameters: elements side by side
 *
 *   s*i + t*j   ->   i + t*j,   violated += { s != 1 }
 *
 * The unit-stride version of what may have any stride, a[i * incx + j * ld]. Of several strides the one that lies first in
 * memory is tried first, that of the first dimension of a descriptor, then the one that fewer accesses have. */
#include "read/memory/subscripts.h"
#include <string.h>

/* P with parameter ATOM as 1. */
static struct tsr_poly *with_unit(const struct tsr_poly *p, int atom)
{
  struct tsr_poly *all = tsr_poly_const(0);
  for (int i = 0; i < p->n && all; i++) {
    struct tsr_term t = p->term[i];
    t.degree = 0;
    for (int k = 0; k < p->term[i].degree; k++)
      if (p->term[i].atom[k] != atom)
        t.atom[t.degree++] = p->term[i].atom[k];
    all = tsr_poly_add(all, tsr_poly_term(&t));
  }
  return all;
}

/* Where the parameter ATOM, or what it is a part of, is read from: bytes from a base. */
static int64_t place_of(struct tsr_model *m, int atom)
{
  const struct tsr_atom *a = &m->atoms[atom];
  int64_t at = INT64_MAX;
  if (a->divisor)
    return place_of(m, a->factor[0]);
  const struct tsr_invariant *item = a->value ? tsr_invariant_of(m->invariants, a->value) : NULL;
  if (item && !item->is_pure && !item->is_call && item->address)
    tsr_scev_constant(tsr_scev_pointer_offset(m->a, item->address), &at);
  return at;
}

/* Does the parameter ATOM multiply a counter in P? */
static bool is_stride(struct tsr_model *m, const struct tsr_poly *p, int atom)
{
  for (int t = 0; p && t < p->n; t++) {
    bool counter = false, found = false;
    for (int k = 0; k < p->term[t].degree; k++) {
      counter |= tsr_atom_is_counter(m, p->term[t].atom[k]);
      found |= p->term[t].atom[k] == atom;
    }
    if (counter && found)
      return true;
  }
  return false;
}

/* In how many accesses is the parameter ATOM a stride? In many it is the size of a row. */
static int n_strides(struct tsr_model *m, int atom)
{
  int n = 0;
  for (int i = 0; i < m->n_access; i++)
    n += is_stride(m, m->access[i].offset, atom);
  return n;
}

/* Should A be tried before B? */
static bool unit_comes_first(struct tsr_model *m, int a, int b)
{
  int64_t x = place_of(m, a), y = place_of(m, b);
  int u = n_strides(m, a), v = n_strides(m, b);
  return x != y ? x < y : u <= v;
}

int tsr_units_collect(struct tsr_model *m, int array, int *units)
{
  int n = 0;
  for (int i = 0; i < m->n_access; i++) {
    const struct tsr_poly *p = m->access[i].array == array ? m->access[i].offset : NULL;
    for (int t = 0; p && t < p->n; t++)
      for (int k = 0; k < p->term[t].degree; k++) {
        int atom = p->term[t].atom[k], at = 0;
        bool known = tsr_atom_is_counter(m, atom) || !is_stride(m, p, atom);
        for (int u = 0; u < n; u++)
          known |= units[u] == atom;
        if (known || n == TSR_MAX_UNITS)
          continue;
        while (at < n && unit_comes_first(m, units[at], atom))
          at++;
        memmove(&units[at + 1], &units[at], (n - at) * sizeof(*units));
        units[at] = atom;
        n++;
      }
  }
  return n;
}

/* The parameter ATOM is 1 wherever STMT runs, by assumption; false: it can't be. */
static bool assume_is_one(struct tsr_model *m, int stmt, int atom)
{
  struct tsr_poly *p = tsr_poly_atom(atom);
  isl_set *other = isl_pw_aff_ne_set(tsr_poly_to_pw_aff(m, p), tsr_pw_aff_const(m, 1));
  tsr_poly_free(p);
  return tsr_model_assume_not(m, isl_set_copy(m->stmts[stmt].domain), other);
}

bool tsr_unit_assume(struct tsr_model *m, int array, int atom, bool bare)
{
  for (int i = 0; i < m->n_access; i++) {
    if (m->access[i].array != array || !m->access[i].offset)
      continue;
    if (!bare && !assume_is_one(m, m->access[i].stmt, atom))
      return false;
    struct tsr_poly *before = m->access[i].offset;
    m->access[i].offset = with_unit(before, atom);
    tsr_poly_free(before);
    if (!m->access[i].offset)
      return false;
  }
  return true;
}
