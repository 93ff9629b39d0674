// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds that are differences of products overflow at -2^63, a number whose magnitude is no 64-bit number itself.
//
// RUN: %clang -O2 -fpass-plugin=%plugin -Rpass-analysis=tessera -c -o /dev/null %s 2>&1 | %FileCheck %s
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out

// CHECK: remark: loop nest modelled
// CHECK: remark: loop nest modelled

#include <stdio.h>

__attribute__((noinline)) void until(double *restrict a, long n, long m, long k, long l)
{
  for (long j = 0; j < n; j++)
    for (long i = 0; i < n * m - k * l - 1; i++)
      a[i + 7] += a[j] * 0.5;
}

__attribute__((noinline)) void from(double *restrict a, long n, long m, long k, long l)
{
  for (long j = 0; j < n; j++)
    for (long i = k * l - 1; i < n * m; i++)
      a[i - 1] += a[j] * 0.5;
}

static double a[100];

int main(void)
{
  for (int i = 0; i < 100; i++)
    a[i] = (i * 7 % 31) * 0.25;
  until(a, 7, 11, 3, 2);
  until(a, 0, 11, 3, 2);
  from(a, 7, 11, 3, 2);
  from(a, 2, 3, 2, 3);
  for (int i = 0; i < 100; i++)
    printf("%a\n", a[i]);
  return 0;
}
