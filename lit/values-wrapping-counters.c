// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters narrower than a pointer wrap around as before.
//
// RUN: %clang -O2 %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -lm -o %t 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out

// CHECK: loop nest transformed

#include <stdio.h>

__attribute__((noinline)) void f(int *restrict a, unsigned char n, unsigned char step)
{
  for (unsigned char i = 0; i < n; i++)
    for (unsigned char j = 0; j < n; j++)
      a[(unsigned char)(i + j * 3 + step)] += i - j;
}

__attribute__((noinline)) void g(int *restrict a, unsigned n, unsigned from)
{
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++)
      a[(i - from + j) % 256] += (int)(i - j);
}

__attribute__((noinline)) void h(int *restrict a, unsigned from, unsigned to)
{
  for (unsigned i = from; i != to; i++)
    a[i % 256] += (int)i;
}

__attribute__((noinline)) void k(int *restrict a, short from, int n)
{
  for (int i = 0; i < n; i++)
    for (short j = from; j < n; j += 7)
      a[(j & 255)] += j;
}

static int a[256];

int main(void)
{
  f(a, 200, 100);
  f(a, 255, 255);
  f(a, 0, 1);
  g(a, 60, 20);
  g(a, 60, 4294967290u);
  h(a, 4294967200u, 50);
  k(a, -500, 300);
  k(a, 10, 5);
  for (int i = 0; i < 256; i++)
    printf("%d\n", a[i]);
}
