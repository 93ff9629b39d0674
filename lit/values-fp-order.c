// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point sums keep their order: rounding and cancellation give the same bits.
//
// RUN: %clang -O2 %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -lm -o %t 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out

// CHECK: loop nest transformed

#include <stdio.h>

__attribute__((noinline)) void f(double *restrict sum, double a[50][50])
{
  for (int i = 0; i < 50; i++)
    for (int j = 0; j < 50; j++)
      sum[j] += a[i][j];
}

__attribute__((noinline)) double g(double a[50][50])
{
  double sum = 0;
  for (int j = 0; j < 50; j++)
    for (int i = 0; i < 50; i++)
      sum += a[i][j];
  return sum;
}

__attribute__((noinline)) void h(double *restrict product, double a[50][50])
{
  for (int j = 0; j < 50; j++)
    for (int i = 0; i < 50; i++)
      *product *= 1 + 1e-9 * a[i][j];
}

static double a[50][50], sum[50];

int main(void)
{
  for (int i = 0; i < 50; i++)
    for (int j = 0; j < 50; j++)
      a[i][j] = (i * 7 + j * 11) % 5 == 0 ? 1e17 : (i + j) % 5 == 3 ? -1e17 : 0.1 * i + j;
  double product = 1;
  f(sum, a);
  h(&product, a);
  printf("%a %a\n", g(a), product);
  for (int j = 0; j < 50; j++)
    printf("%a\n", sum[j]);
}
