/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bounds of polynomials that multiply a counter and a parameter, i*ld + j, for conditions that isl can't express.
 *
 *   0 <= i <= n - 1, 0 <= j <= m - 1, 0 <= ld        ->        0 <= i*ld + j <= n*ld - ld + m - 1
 *
 * Products of parameters become parameters (tsr_atom_product), so that the bounds are affine. Each is assumed to be
 * moderate, as parameters are, so that a product with it is exact, too. Counters are at least 0; that parameters beside them
 * aren't negative is assumed. */
#include "read/values/values.h"
#include <isl/aff.h>
#include <isl/val.h>
#include <string.h>

#define MOST_FACTORS 3 /* k*m*n: the planes of an array of three dimensions */

/* The parameter NAME; -1: there is none. */
static int atom_named(struct tsr_model *m, const char *name)
{
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].kind == TSR_ATOM_PARAM && !strcmp(m->atoms[i].name, name))
      return i;
  return -1;
}

/* AFF over parameters; NULL if it isn't integral. Takes AFF. */
static struct tsr_poly *poly_of_aff(struct tsr_model *m, isl_aff *aff)
{
  isl_val *c = isl_aff_get_constant_val(aff);
  isl_size n = isl_aff_dim(aff, isl_dim_param), n_div = isl_aff_dim(aff, isl_dim_div);
  bool ok = n >= 0 && n_div == 0 && isl_val_is_int(c) == isl_bool_true;
  struct tsr_poly *p = ok ? tsr_poly_const(isl_val_get_num_si(c)) : NULL;
  isl_val_free(c);
  for (int i = 0; i < n && p; i++) {
    isl_val *v = isl_aff_get_coefficient_val(aff, isl_dim_param, i);
    if (isl_val_is_zero(v) != isl_bool_true) {
      int atom = atom_named(m, isl_aff_get_dim_name(aff, isl_dim_param, i));
      bool whole = atom >= 0 && isl_val_is_int(v) == isl_bool_true;
      p = whole ? tsr_poly_add(p, tsr_poly_scale(tsr_poly_atom(atom), isl_val_get_num_si(v))) : tsr_poly_free(p);
    }
    isl_val_free(v);
  }
  isl_aff_free(aff);
  return p;
}

/* SET without the counters that are parameters of it, but for number BUT of the atoms. */
static isl_set *without_counters(struct tsr_model *m, __isl_take isl_set *set, int but)
{
  for (int i = 0; i < m->n_atom; i++) {
    int pos =
        i != but && m->atoms[i].kind == TSR_ATOM_DIM ? isl_set_find_dim_by_name(set, isl_dim_param, m->atoms[i].name) : -1;
    if (pos >= 0)
      set = isl_set_project_out(set, isl_dim_param, pos, 1);
  }
  return set;
}

/* The greatest number in SET { [v] }, which is taken, in one case; NULL else. */
static struct tsr_poly *greatest_of(struct tsr_model *m, __isl_take isl_set *set)
{
  struct tsr_poly *p = NULL;
  set = isl_set_coalesce(set);
  if (tsr_greatest_is_known(m, set, &p)) {
    isl_set_free(set);
    return p;
  }
  isl_pw_aff *max = isl_set_dim_max(isl_set_copy(set), 0);
  if (isl_set_n_basic_set(set) > 1 && isl_pw_aff_n_piece(max) > 1) { /* as if there were no holes */
    isl_pw_aff_free(max);
    max = isl_set_dim_max(isl_set_from_basic_set(isl_set_simple_hull(isl_set_copy(set))), 0);
  }
  if (max && isl_pw_aff_n_piece(max) == 1)
    p = poly_of_aff(m, isl_pw_aff_as_aff(isl_pw_aff_gist(isl_pw_aff_copy(max), isl_pw_aff_domain(isl_pw_aff_copy(max)))));
  if (max)
    tsr_greatest_note(m, set, p);
  isl_set_free(set);
  isl_pw_aff_free(max);
  return p;
}

/* The greatest value of ATOM, a counter or an expression of counters that is never negative, in DOMAIN; NULL: it isn't
 * known. */
static struct tsr_poly *greatest(struct tsr_model *m, int atom, isl_set *domain)
{
  isl_set *set = tsr_set_without(m, isl_set_copy(domain), m->violated);
  if (m->atoms[atom].kind == TSR_ATOM_EXPR) {
    isl_set *values = isl_set_from_pw_aff(isl_pw_aff_copy(m->atoms[atom].expr));
    values = without_counters(m, isl_set_intersect_params(values, set), -1);
    isl_set *below = isl_set_upper_bound_si(isl_set_copy(values), isl_dim_set, 0, -1);
    isl_bool none = isl_set_is_empty(below);
    isl_set_free(below);
    if (none == isl_bool_true)
      return greatest_of(m, values);
    isl_set_free(values);
    return NULL;
  }
  set = without_counters(m, set, atom);
  int pos = isl_set_find_dim_by_name(set, isl_dim_param, m->atoms[atom].name);
  if (pos < 0) {
    isl_set_free(set);
    return NULL;
  }
  return greatest_of(m, isl_set_move_dims(isl_set_from_params(set), isl_dim_set, 0, isl_dim_param, pos, 1));
}

/* TERM's value for the greatest value of its counter; without a counter, itself. *HAS_COUNTER: is there one? */
static struct tsr_poly *extreme(struct tsr_model *m, const struct tsr_term *term, isl_set *domain, bool *has_counter)
{
  struct tsr_poly *all = tsr_poly_const(term->coef);
  *has_counter = false;
  for (int k = 0; k < term->degree && all; k++) {
    enum tsr_atom_kind kind = m->atoms[term->atom[k]].kind;
    bool counter = kind == TSR_ATOM_DIM || kind == TSR_ATOM_EXPR;
    if (counter && *has_counter)
      return tsr_poly_free(all);
    *has_counter |= counter;
    all = tsr_poly_mul(all, counter ? greatest(m, term->atom[k], domain) : tsr_poly_atom(term->atom[k]));
  }
  return all;
}

/* The parameters of TERM aren't negative wherever DOMAIN, by assumption; false: they can't be assumed not to be. */
static bool assume_not_negative(struct tsr_model *m, const struct tsr_term *term, isl_set *domain)
{
  for (int k = 0; k < term->degree; k++) {
    if (m->atoms[term->atom[k]].kind != TSR_ATOM_PARAM)
      continue;
    struct tsr_poly *p = tsr_poly_atom(term->atom[k]);
    isl_pw_aff *value = tsr_poly_to_pw_aff(m, p), *zero = isl_pw_aff_sub(isl_pw_aff_copy(value), isl_pw_aff_copy(value));
    tsr_poly_free(p);
    if (!tsr_model_assume_not(m, isl_set_copy(domain), isl_pw_aff_lt_set(value, zero)))
      return false;
  }
  return true;
}

/* P with products of parameters named, those of three as a product with a product. Takes P. */
static isl_pw_aff *with_products(struct tsr_model *m, struct tsr_poly *p)
{
  struct tsr_poly *all = tsr_poly_const(0);
  for (int i = 0; p && i < p->n && all; i++) {
    struct tsr_term t = p->term[i];
    for (; t.degree > 1; t.degree--) {
      t.atom[0] = tsr_atom_product(m, t.atom[0], t.atom[1]);
      memmove(&t.atom[1], &t.atom[2], (t.degree - 2) * sizeof(*t.atom));
    }
    all = tsr_poly_add(all, tsr_poly_term(&t));
  }
  isl_pw_aff *value = p && all ? tsr_poly_to_pw_aff(m, all) : NULL;
  tsr_poly_free(p);
  tsr_poly_free(all);
  return value;
}

bool tsr_poly_bounds(struct tsr_model *m, const struct tsr_poly *p, isl_set *domain, isl_pw_aff **lo, isl_pw_aff **hi)
{
  struct tsr_poly *low = tsr_poly_const(0), *high = tsr_poly_const(0);
  for (int i = 0; i < p->n && low && high; i++) {
    bool counter;
    struct tsr_poly *one = p->term[i].degree <= MOST_FACTORS ? extreme(m, &p->term[i], domain, &counter) : NULL;
    if (!one || (counter && !assume_not_negative(m, &p->term[i], domain))) {
      tsr_poly_free(one);
      low = tsr_poly_free(low);
      break;
    }
    if (!counter || p->term[i].coef < 0)
      low = tsr_poly_add(low, tsr_poly_copy(one));
    if (!counter || p->term[i].coef > 0)
      high = tsr_poly_add(high, tsr_poly_copy(one));
    tsr_poly_free(one);
  }
  bool ok = low && high;
  *lo = ok ? with_products(m, low) : (tsr_poly_free(low), NULL);
  *hi = ok ? with_products(m, high) : (tsr_poly_free(high), NULL);
  if (*lo && *hi)
    return true;
  *lo = isl_pw_aff_free(*lo);
  *hi = isl_pw_aff_free(*hi);
  return false;
}
