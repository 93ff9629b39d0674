// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions on floating-point numbers and flags that are passed by reference, as Fortran does, with else arms, around loops
// and around a store: what they compare is loaded once, in front of the nest, and compared as it is in the source; not if
// the nest may change it.
//
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ \
// RUN:   -gline-tables-only -Rpass=tessera -Rpass-missed=tessera %s -o %t 2>&1 \
// RUN:   | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK-COUNT-5: loop nest transformed

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST __attribute__((noinline))

TEST void test_update(const int *m, const int *n, const int *depth, const double *alpha, const double *restrict a,
                      const double *restrict b, const double *beta, double *restrict c, int ld)
{
  for (int j = 0; j < *n; j++) {
    if (*beta == 0) {
      for (int i = 0; i < *m; i++)
        c[i + j * ld] = 0;
    } else if (*beta != 1) {
      for (int i = 0; i < *m; i++)
        c[i + j * ld] = *beta * c[i + j * ld];
    }
    for (int l = 0; l < *depth; l++) {
      double t = *alpha * b[l + j * ld];
      for (int i = 0; i < *m; i++)
        c[i + j * ld] += t * a[i + l * ld];
    }
  }
}

TEST void test_dot(const int *m, const int *n, const int *depth, const float *alpha, const double *restrict a,
                   const double *restrict b, const float *beta, double *restrict c, int ld)
{
  for (int j = 0; j < *n; j++)
    for (int i = 0; i < *m; i++) {
      double t = 0;
      for (int l = 0; l < *depth; l++)
        t += a[l + i * ld] * b[l + j * ld];
      if (*beta == 0)
        c[i + j * ld] = *alpha * t;
      else
        c[i + j * ld] = *alpha * t + *beta * c[i + j * ld];
    }
}

TEST void test_flags(const int *n, const _Bool *unit, const _Bool *upper, const double *restrict a, double *restrict c,
                     int ld)
{
  for (int j = 0; j < *n; j++)
    if (*upper) {
      for (int i = 0; i < j; i++)
        c[i + j * ld] += a[j + i * ld];
      if (!*unit)
        c[j + j * ld] *= a[j + j * ld];
    } else {
      for (int i = j; i < *n; i++)
        c[i + j * ld] -= a[j + i * ld];
    }
}

/* BETA may point into C. */
TEST void test_shared(int m, int n, const double *beta, double *c, int ld)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      if (*beta == 0)
        c[i + j * ld] = 7;
      else
        c[i + j * ld] *= *beta;
    }
}

/* Nobody knows whether BETA is ever loaded. */
TEST void test_seldom(int m, int n, const double *beta, double *c, int ld)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      if (c[i + j * ld] > 2)
        if (*beta == 0)
          c[i + j * ld] = 7;
}

#define LD 70
static double a[LD * LD], b[LD * LD], c[LD * LD], fresh[LD * LD];

static void show(const char *what)
{
  unsigned long sum = 0, bits;
  for (int i = 0; i < LD * LD; i++) {
    double x = c[i] == c[i] ? c[i] : NAN; /* any NaN is as good */
    memcpy(&bits, &x, sizeof(bits));
    sum = sum * 31 + (x == x ? bits : 99);
  }
  printf("%s %lx\n", what, sum);
  memcpy(c, fresh, sizeof(c));
}

int main(void)
{
  static const double scale[] = {0, -0.0, 1, 0.7, NAN, INFINITY};
  static const int size[] = {0, 1, 2, 7, 8, 9, 31, 33, 67};
  for (int i = 0; i < LD * LD; i++) {
    a[i] = rand() % 1000 / 999.0 - 0.5, b[i] = rand() % 1000 / 999.0, fresh[i] = rand() % 1000 / 999.0;
    if (rand() % 500 == 0)
      a[i] = NAN, b[i + 1 < LD * LD ? i + 1 : 0] = INFINITY;
    if (rand() % 50 == 0)
      fresh[i] = -0.0;
  }
  memcpy(c, fresh, sizeof(c));
  for (int k = 0; k < 400; k++) {
    int m = size[rand() % 9], n = size[rand() % 9], depth = size[rand() % 9];
    double alpha = scale[rand() % 6], beta = scale[rand() % 6];
    float falpha = alpha, fbeta = beta;
    _Bool unit = rand() % 2, upper = rand() % 2;
    test_update(&m, &n, &depth, &alpha, a, b, &beta, c, LD), show("update");
    test_dot(&m, &n, &depth, &falpha, a, b, &fbeta, c, LD), show("dot");
    test_flags(&n, &unit, &upper, a, c, LD), show("flags");
    test_shared(m, n, &beta, c, LD), show("apart");
    test_shared(m, n, &c[rand() % (LD * LD)], c, LD), show("shared");
    test_seldom(m, n, NULL, c, LD), show("never");
    c[rand() % (LD * LD)] = 3;
    test_seldom(m, n, &beta, c, LD), show("seldom");
  }
}
