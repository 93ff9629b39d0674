/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Is a polynomial in the range of a type? Proved, or assumed: then m->violated grows by where it isn't.
 *
 *   n - 1 as a number of 32 bits without sign   ->   violated += { domain and (n - 1 < 0 or n - 1 >= 2^32) } */
#include "read/values/values.h"
#include <stdlib.h>

/* P, which has a product of a counter and a parameter, as a number of BITS bits: true if it is in range, or assumed to be.
 */
static bool product_in_range(struct tsr_model *m, const struct tsr_poly *p, unsigned bits, enum tsr_sign sign,
                             isl_set *domain)
{
  isl_pw_aff *lo, *hi;
  if (!tsr_poly_bounds(m, p, domain, &lo, &hi))
    return false;
  bool all = sign == TSR_SIGNED && bits > 48; /* the products are far below */
  int64_t min = sign == TSR_UNSIGNED ? 0 : all ? INT64_MIN : -(INT64_C(1) << (bits - 1));
  isl_set *bad = isl_pw_aff_lt_set(lo, tsr_pw_aff_const(m, min));
  if (bits <= 48) {
    int64_t limit = INT64_C(1) << (sign == TSR_SIGNED ? bits - 1 : bits);
    bad = isl_set_union(bad, isl_pw_aff_ge_set(hi, tsr_pw_aff_const(m, limit)));
  } else {
    isl_pw_aff_free(hi);
  }
  return tsr_model_assume_not(m, isl_set_copy(domain), bad);
}

/* *MIN <= ATOM <= *MAX, as scalar evolution knows. */
static bool atom_range(struct tsr_model *m, int atom, int64_t *min, int64_t *max)
{
  const struct tsr_atom *a = &m->atoms[atom];
  if (a->kind == TSR_ATOM_PARAM && (a->value || a->scev))
    return tsr_scev_signed_range(m->a, a->value ? tsr_scev_of(m->a, a->value) : a->scev, min, max);
  if (a->kind == TSR_ATOM_DATA) {
    *min = a->first;
    *max = a->last;
    return true;
  }
  uint64_t trips = a->kind == TSR_ATOM_DIM ? tsr_loop_max_trips(m->a, a->loop) : 0;
  *min = 0;
  *max = (int64_t)trips - 1;
  return trips > 0 && trips <= INT32_MAX;
}

/* Is P, of degree 1, a number of BITS bits whatever its atoms are? Most are: loops of a fixed size. */
static bool is_always_in_range(struct tsr_model *m, const struct tsr_poly *p, unsigned bits, enum tsr_sign sign)
{
  int64_t low = 0, high = 0, min = 1, max = 1, end;
  for (int i = 0; i < p->n; i++) {
    int64_t coef = p->term[i].coef;
    if (p->term[i].degree > 0 && !atom_range(m, p->term[i].atom[0], &min, &max))
      return false;
    if (p->term[i].degree == 0)
      min = max = 1;
    if (__builtin_mul_overflow(coef, coef < 0 ? max : min, &end) || __builtin_add_overflow(low, end, &low) ||
        __builtin_mul_overflow(coef, coef < 0 ? min : max, &end) || __builtin_add_overflow(high, end, &high))
      return false;
  }
  if (sign == TSR_UNSIGNED)
    return low >= 0 && (bits > 62 || high < INT64_C(1) << bits);
  return bits > 62 || (low >= -(INT64_C(1) << (bits - 1)) && high < INT64_C(1) << (bits - 1));
}

bool tsr_poly_is_in_range(struct tsr_model *m, const struct tsr_poly *p, unsigned bits, enum tsr_sign sign, isl_set *domain)
{
  /* a parameter is in the signed range of its type: what a smaller one leaves of it need not be the parameter */
  if (sign == TSR_SIGNED && p->n == 1 && p->term[0].degree == 1 && p->term[0].coef == 1 &&
      m->atoms[p->term[0].atom[0]].kind == TSR_ATOM_PARAM && tsr_param_bits(m, p->term[0].atom[0]) <= bits)
    return true;
  return is_always_in_range(m, p, bits, sign) || tsr_range_is_known(m, p, bits, sign, domain);
}

bool tsr_poly_assume_in_range(struct tsr_model *m, const struct tsr_poly *p, unsigned bits, enum tsr_sign sign,
                              isl_set *domain)
{
  if (sign == TSR_MODULO)
    return true;
  if (bits > 64)
    return false;
  if (m->take_data && tsr_poly_has_data(m, p))
    return tsr_poly_degree(p) <= 1 && is_always_in_range(m, p, bits, sign);
  if (tsr_poly_degree(p) > 1)
    return product_in_range(m, p, bits, sign, domain);
  for (int i = 0; i < p->n; i++)
    if (bits > 32 && llabs(p->term[i].coef) > TSR_MAX_COEF)
      return false;
  if (sign == TSR_SIGNED && bits > 48)
    return true;
  if (tsr_poly_is_in_range(m, p, bits, sign, domain))
    return true;
  isl_pw_aff *value = tsr_poly_to_pw_aff(m, p);
  int64_t min = sign == TSR_SIGNED ? -(INT64_C(1) << (bits - 1)) : 0;
  isl_set *bad = isl_pw_aff_lt_set(isl_pw_aff_copy(value), tsr_pw_aff_const(m, min));
  if (bits <= 48) {
    int64_t limit = INT64_C(1) << (sign == TSR_SIGNED ? bits - 1 : bits);
    bad = isl_set_union(bad, isl_pw_aff_ge_set(isl_pw_aff_copy(value), tsr_pw_aff_const(m, limit)));
  }
  isl_pw_aff_free(value);
  if (!tsr_model_assume_not(m, isl_set_copy(domain), bad))
    return false;
  tsr_range_note(m, p, bits, sign, domain);
  return true;
}
