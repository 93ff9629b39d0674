// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps and strides that are held in variables: a version for 1, the original for all others.
//
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only \
// RUN:   -Rpass=tessera -Rpass-missed=tessera %s -o %t 2>&1 | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only \
// RUN:   -mllvm -tessera-position=late -Rpass=tessera %s -o %t 2>&1 | %FileCheck %s
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK-COUNT-5: loop nest transformed

#include <stdio.h>

#define N 40
#define TEST __attribute__((noinline))

TEST void test_step(double *a, double *b, int n, int s)
{
  for (int i = 0; i < n; i += s)
    for (int j = 0; j < n; j++)
      a[i * N + j] += b[j * N + i];
}

TEST void test_both_steps(double *a, double *b, long n, long s, long t)
{
  for (long i = 0; i < n; i += s)
    for (long j = 0; j < n; j += t)
      a[i * N + j] -= b[j * N + i];
}

TEST void test_stride(double *a, double *b, int n, int ld, int inc)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * ld + j * inc] += b[j * ld + i];
}

// A row and a column stride each, as matrix views have.
TEST void test_views(double *c, double *a, double *b, long n, long rc, long cc, long ra, long ca, long rb, long cb)
{
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * rc + j * cc] += a[i * ra + k * ca] * b[k * rb + j * cb];
}

TEST void test_vectors(double *x, double *y, double *a, int n, int incx, int incy)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      y[i * incy] += a[j * N + i] * x[j * incx];
}

static double a[4 * N * N], b[4 * N * N], c[4 * N * N];

static void show(const char *what)
{
  double sum = 0;
  for (int i = 0; i < 4 * N * N; i++)
    sum = sum * 0.75 + a[i];
  printf("%s %a\n", what, sum);
}

int main(void)
{
  for (int i = 0; i < 4 * N * N; i++)
    a[i] = i % 17, b[i] = i % 23 - 11, c[i] = i % 7 - 3;
  for (int n = -1; n <= N; n += 8)
    for (int s = 1; s < 4; s++) {
      test_step(a, b, n, s), show("step");
      for (int t = 1; t < 3; t++)
        test_both_steps(a, b, n, s, t), show("both steps");
      test_stride(a, b, n, N, s), show("stride");
      test_stride(a + 2 * N, b, n, 1, s), show("stride, rows on each other");
      test_stride(a + 4 * N, b + N, n, -1, -s), show("stride, backwards");
      test_stride(a + 2 * N, b, n, s, 0), show("no stride");
      test_views(a, b, c, n, N, s, N, 1, N, 1), show("views");
      test_views(a, b, c, n, N, 1, 1, N, s, N), show("views, turned");
      test_views(a, b, c, n, 1, s * N, 1, N, 1, N), show("views, columns");
      test_views(a, a, a, n, N, 1, N, 1, N, 1), show("one array");
      for (int i = 0; i < 4 * N * N; i++)
        a[i] = i % 19;
      test_vectors(a, a + N * N, b, n, s, 1), show("vectors");
      test_vectors(a, a + N * N, b, n, 1, s), show("vectors");
      test_vectors(a + N, a + N * N, b, n, -1, 1), show("vectors");
    }
}
