/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Polynomials over parameters, loop counters and quasi-affine atoms. */
#ifndef TSR_POLYNOMIALS_H
#define TSR_POLYNOMIALS_H

#include "pass.h"

#define TSR_MAX_DEGREE 4
/* Coef * product of atoms; atoms are indices into tsr_model.atoms, sorted. */
struct tsr_term {
  int64_t coef;
  int degree;
  int atom[TSR_MAX_DEGREE];
};
struct tsr_poly {
  struct tsr_term *term; /* sorted by (degree, atoms), highest first, no zero coefficients */
  int n;
};
struct tsr_poly *tsr_poly_const(int64_t value);
struct tsr_poly *tsr_poly_atom(int atom);
struct tsr_poly *tsr_poly_term(const struct tsr_term *term);
struct tsr_poly *tsr_poly_copy(const struct tsr_poly *p);
struct tsr_poly *tsr_poly_free(struct tsr_poly *p);
/* All take their arguments and return NULL on overflow or too high a degree (or if an argument is NULL). */
struct tsr_poly *tsr_poly_add(struct tsr_poly *a, struct tsr_poly *b);
struct tsr_poly *tsr_poly_sub(struct tsr_poly *a, struct tsr_poly *b);
struct tsr_poly *tsr_poly_mul(struct tsr_poly *a, struct tsr_poly *b);
struct tsr_poly *tsr_poly_scale(struct tsr_poly *a, int64_t factor);
/* A / factor, NULL if some coefficient isn't a multiple. */
struct tsr_poly *tsr_poly_divide_exact(struct tsr_poly *a, int64_t factor);
/* A = QUOTIENT * D + REMAINDER, no term of REMAINDER divisible by D's leading monomial; constants are rounded so that
 * the remainder's constants are small. Takes A. */
bool tsr_poly_divide(struct tsr_poly *a, const struct tsr_poly *d, struct tsr_poly **quotient, struct tsr_poly **remainder);
bool tsr_poly_equal(const struct tsr_poly *a, const struct tsr_poly *b);
bool tsr_poly_is_const(const struct tsr_poly *p, int64_t *value);
int tsr_poly_degree(const struct tsr_poly *p);
int64_t tsr_poly_content(const struct tsr_poly *p); /* gcd of the coefficients, 0 for the zero polynomial */

#endif
