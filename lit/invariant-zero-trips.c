// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A location is loaded in front of a nest only if the nest would load from it: pointers may be null where nothing runs.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -o %t 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out

// CHECK-COUNT-5: loop nest transformed

#include <stddef.h>
#include <stdio.h>

struct vector {
  long n;
  double *p;
};

__attribute__((noinline)) void by_parameter(struct vector *v, int n, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      v->p[i] += j;
}

__attribute__((noinline)) void by_chain(struct vector **v, struct vector *w, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < w->n; j++)
      (*v)->p[i] += w->p[j];
}

__attribute__((noinline)) void triangle(struct vector *v, struct vector *w, int n)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++)
      w->p[j] += v->p[i];
  }
}

__attribute__((noinline)) void conditional(double *a, struct vector *v, int n, int k)
{
  for (int i = 0; i < n; i++)
    if (i > k)
      a[i] += v->p[i - k];
}

__attribute__((noinline)) void wide(struct vector *v, long from, long to)
{
  for (long i = from + 1; i <= to; i++)
    for (long j = from; j < i; j++)
      v->p[i - j] += 1;
}

int main(void)
{
  static double x[100], y[100];
  struct vector v = {10, x}, w = {7, y}, none = {0, NULL}, *p = &v;
  for (int i = 0; i < 100; i++)
    x[i] = i, y[i] = 100 - i;
  by_parameter(&v, 10, 10), by_parameter(NULL, 0, 10), by_parameter(NULL, 10, 0), by_parameter(NULL, -1, -5);
  by_chain(&p, &w, 10), by_chain(NULL, &none, 10), by_chain(NULL, NULL, 0), by_chain(NULL, NULL, -3);
  triangle(&v, &w, 10), triangle(NULL, NULL, 1), triangle(NULL, NULL, 0);
  conditional(x, &v, 20, 5), conditional(x, NULL, 5, 5), conditional(x, NULL, 5, 100), conditional(x, NULL, -5, -8);
  wide(&v, 3, 9), wide(NULL, 3, 3), wide(NULL, 9223372036854775806, -9223372036854775807);
  wide(NULL, 9223372036854775806, 9223372036854775806);
  for (int i = 0; i < 100; i++)
    printf("%g %g\n", x[i], y[i]);
}
