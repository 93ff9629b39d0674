// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds near the ends of the 64-bit range run the original.
//
// RUN: %clang -O2 %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -lm -o %t 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out

// CHECK: loop nest transformed

#include <limits.h>
#include <stdio.h>

__attribute__((noinline)) void f(int *restrict a, long from, long to)
{
  for (long i = from; i < to; i++)
    for (long j = from; j < to; j++)
      a[(i - from) * 10 + (j - from)] += (int)(i ^ j);
}

__attribute__((noinline)) void g(int *restrict a, unsigned long from, unsigned long to)
{
  for (unsigned long i = from; i < to; i++)
    a[i - from] += (int)(i >> 3);
}

static int a[100];

int main(void)
{
  f(a, LONG_MAX - 10, LONG_MAX);
  f(a, LONG_MIN, LONG_MIN + 10);
  f(a, -5, 5);
  f(a, LONG_MAX, LONG_MIN);
  g(a, ULONG_MAX - 50, ULONG_MAX);
  g(a, 1ul << 63, (1ul << 63) + 40);
  g(a, (1ul << 63) - 20, (1ul << 63) + 20);
  for (int i = 0; i < 100; i++)
    printf("%d\n", a[i]);
}
