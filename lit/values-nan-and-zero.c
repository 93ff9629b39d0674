// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Minima and maxima with NaN and sums of negative zeros are the same.
//
// RUN: %clang -O2 -fno-math-errno %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fno-math-errno -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -lm -o %t 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out

// CHECK: loop nest transformed

#include <math.h>
#include <stdio.h>

__attribute__((noinline)) void f(double *restrict low, double *restrict high, double *restrict sum, const double *restrict a, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 10; j++) {
      low[j] = a[i * 10 + j] < low[j] ? a[i * 10 + j] : low[j];
      high[j] = fmax(high[j], a[i * 10 + j]);
      sum[j] += a[i * 10 + j] * -0.0;
    }
}

static double a[200], low[10], high[10], sum[10];

int main(void)
{
  for (int i = 0; i < 200; i++)
    a[i] = i % 13 == 0 ? NAN : i % 10 == 4 ? 0.0 : i % 10 == 5 ? -0.0 : (i * 37 % 100);
  for (int j = 0; j < 10; j++)
    sum[j] = low[j] = high[j] = -0.0;
  f(low, high, sum, a, 20);
  f(low, high, sum, a, 0);
  for (int j = 0; j < 10; j++)
    printf("%f %f %f\n", low[j], high[j], isnan(sum[j]) ? 0 : sum[j]);
}
