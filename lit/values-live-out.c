// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that leave the nest are those of the last iteration of the original.
//
// RUN: %clang -O2 %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -lm -o %t 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out

// CHECK: loop nest transformed

#include <stdio.h>

__attribute__((noinline)) double f(const double *restrict a, double *restrict b, int n, int *last)
{
  double x = -1, y = -2;
  int k = -3;
  for (int i = 0; i < n; i++) {
    x = a[i] * 2;
    for (int j = 0; j < i; j++) {
      y = x + a[j];
      b[i * n + j] = y;
      k = i * j;
    }
  }
  *last = k;
  return x * 1000 + y;
}

static double a[30], b[900];

int main(void)
{
  for (int i = 0; i < 30; i++)
    a[i] = i * 1.5;
  for (int n = 0; n < 30; n += 1 + n / 2) {
    int last;
    double r = f(a, b, n, &last);
    printf("%g %d %g\n", r, last, b[n * n / 2]);
  }
}
