/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Multivariate polynomials with 64-bit coefficients: what scalar evolution gives before delinearisation splits products
 * of sizes and counters, such as  8*m*i + 8*j.  Terms are kept in descending graded lexicographic order. */
#include "read/values/polynomials.h"
#include <stdlib.h>
#include <string.h>

/* Below 0: A comes before B in ascending order; 0: they are the same but for coefficients. */
static int monomial_cmp(const struct tsr_term *a, const struct tsr_term *b)
{
  if (a->degree != b->degree)
    return a->degree - b->degree;
  for (int i = 0; i < a->degree; i++)
    if (a->atom[i] != b->atom[i])
      return b->atom[i] - a->atom[i];
  return 0;
}

/* Zero, with room for N terms */
static struct tsr_poly *poly_new(int n)
{
  struct tsr_poly *p = calloc(1, sizeof(*p));
  p->term = calloc(n ? n : 1, sizeof(*p->term));
  return p;
}

struct tsr_poly *tsr_poly_free(struct tsr_poly *p)
{
  if (p)
    free(p->term);
  free(p);
  return NULL;
}

struct tsr_poly *tsr_poly_const(int64_t value)
{
  struct tsr_poly *p = poly_new(1);
  p->term[0].coef = value;
  p->n = value != 0;
  return p;
}

struct tsr_poly *tsr_poly_atom(int atom)
{
  struct tsr_poly *p = poly_new(1);
  p->term[0] = (struct tsr_term){.coef = 1, .degree = 1, .atom = {atom}};
  p->n = 1;
  return p;
}

struct tsr_poly *tsr_poly_term(const struct tsr_term *term)
{
  struct tsr_poly *p = poly_new(1);
  p->term[0] = *term;
  p->n = term->coef != 0;
  return p;
}

struct tsr_poly *tsr_poly_copy(const struct tsr_poly *p)
{
  if (!p)
    return NULL;
  struct tsr_poly *copy = poly_new(p->n);
  memcpy(copy->term, p->term, p->n * sizeof(*p->term));
  copy->n = p->n;
  return copy;
}

/* a + factor * b; takes both. */
static struct tsr_poly *add_scaled(struct tsr_poly *a, struct tsr_poly *b, int64_t factor)
{
  struct tsr_poly *sum = NULL;
  if (!a || !b)
    goto done;
  sum = poly_new(a->n + b->n);
  for (int i = 0, j = 0; i < a->n || j < b->n;) {
    int cmp = i == a->n ? -1 : j == b->n ? 1 : monomial_cmp(&a->term[i], &b->term[j]);
    struct tsr_term t = cmp >= 0 ? a->term[i] : b->term[j];
    int64_t add = 0;
    if (cmp <= 0 && __builtin_mul_overflow(b->term[j].coef, factor, &add))
      goto overflow;
    if (__builtin_add_overflow(cmp >= 0 ? a->term[i].coef : 0, add, &t.coef))
      goto overflow;
    i += cmp >= 0;
    j += cmp <= 0;
    if (t.coef)
      sum->term[sum->n++] = t;
  }
  goto done;
overflow:
  sum = tsr_poly_free(sum);
done:
  tsr_poly_free(a);
  tsr_poly_free(b);
  return sum;
}

struct tsr_poly *tsr_poly_add(struct tsr_poly *a, struct tsr_poly *b)
{
  return add_scaled(a, b, 1);
}

struct tsr_poly *tsr_poly_sub(struct tsr_poly *a, struct tsr_poly *b)
{
  return add_scaled(a, b, -1);
}

/* p * (one term); keeps p. */
static struct tsr_poly *mul_term(const struct tsr_poly *p, const struct tsr_term *t)
{
  struct tsr_poly *sum = tsr_poly_const(0);
  for (int i = 0; sum && i < p->n; i++) {
    struct tsr_term r = p->term[i];
    if (r.degree + t->degree > TSR_MAX_DEGREE || __builtin_mul_overflow(r.coef, t->coef, &r.coef))
      return tsr_poly_free(sum);
    for (int k = 0; k < t->degree; k++) {
      int at = r.degree++;
      for (; at > 0 && r.atom[at - 1] > t->atom[k]; at--)
        r.atom[at] = r.atom[at - 1];
      r.atom[at] = t->atom[k];
    }
    struct tsr_poly *one = poly_new(1);
    one->term[0] = r;
    one->n = r.coef != 0;
    sum = tsr_poly_add(sum, one);
  }
  return sum;
}

struct tsr_poly *tsr_poly_mul(struct tsr_poly *a, struct tsr_poly *b)
{
  struct tsr_poly *product = a && b ? tsr_poly_const(0) : NULL;
  for (int i = 0; product && i < b->n; i++)
    product = tsr_poly_add(product, mul_term(a, &b->term[i]));
  tsr_poly_free(a);
  tsr_poly_free(b);
  return product;
}

struct tsr_poly *tsr_poly_scale(struct tsr_poly *a, int64_t factor)
{
  return add_scaled(tsr_poly_const(0), a, factor);
}

struct tsr_poly *tsr_poly_divide_exact(struct tsr_poly *a, int64_t factor)
{
  for (int i = 0; a && i < a->n; i++) {
    if (a->term[i].coef % factor)
      return tsr_poly_free(a);
    a->term[i].coef /= factor;
  }
  return a;
}

/* t / lead, if the monomial divides and the (rounded) coefficient isn't 0. */
static bool term_divide(const struct tsr_term *t, const struct tsr_term *lead, struct tsr_term *q)
{
  *q = (struct tsr_term){0};
  int k = 0;
  for (int i = 0; i < t->degree; i++)
    if (k < lead->degree && t->atom[i] == lead->atom[k])
      k++;
    else
      q->atom[q->degree++] = t->atom[i];
  if (k < lead->degree)
    return false;
  int64_t half = lead->coef / 2;
  int64_t c = t->coef;
  q->coef = c >= 0 ? (c + half) / lead->coef : -((-c + half) / lead->coef);
  /* a remainder of exactly half: towards minus infinity, so that it is not negative */
  if (2 * (c - q->coef * lead->coef) == -lead->coef)
    q->coef--;
  return q->coef != 0;
}

bool tsr_poly_divide(struct tsr_poly *a, const struct tsr_poly *d, struct tsr_poly **quotient, struct tsr_poly **remainder)
{
  struct tsr_poly *q = tsr_poly_const(0);
  bool ok = d->n > 0 && d->term[0].coef > 0;
  for (int i = 0; ok && a && q && i < a->n;) {
    struct tsr_term t;
    if (!term_divide(&a->term[i], &d->term[0], &t)) {
      i++;
      continue;
    }
    struct tsr_poly *one = poly_new(1);
    one->term[0] = t;
    one->n = 1;
    a = tsr_poly_sub(a, mul_term(d, &t));
    q = tsr_poly_add(q, one);
    i = 0;
  }
  if (ok && a && q) {
    *quotient = q;
    *remainder = a;
    return true;
  }
  tsr_poly_free(a);
  tsr_poly_free(q);
  return false;
}

bool tsr_poly_equal(const struct tsr_poly *a, const struct tsr_poly *b)
{
  if (a->n != b->n)
    return false;
  for (int i = 0; i < a->n; i++)
    if (a->term[i].coef != b->term[i].coef || monomial_cmp(&a->term[i], &b->term[i]))
      return false;
  return true;
}

bool tsr_poly_is_const(const struct tsr_poly *p, int64_t *value)
{
  if (p->n > 1 || (p->n == 1 && p->term[0].degree))
    return false;
  *value = p->n ? p->term[0].coef : 0;
  return true;
}

int tsr_poly_degree(const struct tsr_poly *p)
{
  return p->n ? p->term[0].degree : 0;
}

int64_t tsr_poly_content(const struct tsr_poly *p)
{
  int64_t gcd = 0;
  for (int i = 0; i < p->n; i++) {
    int64_t x = llabs(p->term[i].coef);
    while (x) {
      int64_t rest = gcd % x;
      gcd = x;
      x = rest;
    }
  }
  return gcd;
}
