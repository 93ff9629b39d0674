// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A division is not moved before the condition that guards it.
//
// RUN: %clang -O2 %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -lm -o %t 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out

// CHECK: loop nest transformed

#include <stdio.h>

__attribute__((noinline)) void f(int *restrict a, int n, int d)
{
  for (int i = 0; i < n; i++)
    if (d != 0) {
      int end = 100 / d;
      for (int j = 0; j < n; j++)
        if (j < end)
          a[j] += 1000 / d + i;
    }
}

__attribute__((noinline)) void g(long *restrict a, long n, long d)
{
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      if (d > 3)
        a[j] += (i + 7) / (d - 3) % d;
}

__attribute__((noinline)) void h(int *restrict a, int *restrict d, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i + j < n)
        a[j] += 77 / d[i + j];
}

int main(void)
{
  static int a[100], d[100];
  static long b[100];
  f(a, 40, 0);
  f(a, 40, 7);
  g(b, 40, 3);
  g(b, 40, 5);
  for (int i = 0; i < 20; i++)
    d[i] = i + 1;
  h(a, d, 20);
  h(a, d + 30, 0);
  for (int i = 0; i < 100; i++)
    printf("%d %ld\n", a[i], b[i]);
}
