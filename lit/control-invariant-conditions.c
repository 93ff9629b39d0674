// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A condition around a loop that the nest doesn't change is a parameter, whatever it computes.
//
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only \
// RUN:   -Rpass=tessera -Rpass-missed=tessera %s -o %t 2>&1 | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK-COUNT-4: loop nest transformed

#include <stdio.h>

#define N 40
#define TEST __attribute__((noinline))

TEST void test_float(double (*a)[N], double (*b)[N], int n, double alpha, float beta)
{
  for (int i = 0; i < n; i++)
    if (alpha != 0) {
      for (int j = 0; j < n; j++)
        a[i][j] += alpha * b[j][i];
    } else if (beta > alpha) {
      for (int j = 0; j < n; j++)
        a[i][j] = beta;
    }
}

TEST void test_pointer(double (*a)[N], double (*b)[N], double *scale, int n)
{
  for (int i = 0; i < n; i++)
    if (scale)
      for (int j = 0; j < n; j++)
        a[i][j] += b[j][i];
}

TEST void test_product(double (*a)[N], double (*b)[N], int n, int m)
{
  for (int i = 0; i < n; i++)
    if ((n * m) & 4)
      for (int j = 0; j < n; j++)
        a[i][j] -= b[j][i];
}

TEST void test_flags(double (*a)[N], double (*b)[N], int n, _Bool upper, _Bool unit)
{
  for (int i = 0; i < n; i++) {
    if (upper)
      for (int j = i; j < n; j++)
        a[i][j] += b[j][i];
    if (unit && !upper)
      for (int j = 0; j < i; j++)
        a[i][j] -= b[j][i];
    a[i][i] += unit;
  }
}

static double a[N][N], b[N][N];

static void show(const char *what)
{
  double sum = 0;
  for (int i = 0; i < N * N; i++)
    sum = sum * 0.75 + a[0][i];
  printf("%s %a\n", what, sum);
}

int main(void)
{
  for (int i = 0; i < N * N; i++)
    a[0][i] = i % 17, b[0][i] = i % 23 - 11;
  for (int n = -1; n <= N; n += 8) {
    test_float(a, b, n, n % 3, n - 8), show("float");
    test_float(a, b, n, __builtin_nan(""), 1), show("nan");
    test_float(a, b, n, 0, 1), show("zero");
    test_pointer(a, b, n % 16 ? a[0] : 0, n), show("pointer");
    test_product(a, b, n, 5), show("product");
    for (int k = 0; k < 4; k++)
      test_flags(a, b, n, k & 1, k >> 1), show("flags");
  }
}
