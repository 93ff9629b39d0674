// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers that walk in any direction, and structures, are subscripts like others.
//
// RUN: %clang -O2 %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -lm -o %t 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out

// CHECK: loop nest transformed

#include <stdio.h>

struct pair {
  double x, y;
};

__attribute__((noinline)) void f(double *from, double *to)
{
  for (double *p = to; p-- > from;)
    for (double *q = from; q < p; q += 2)
      *p += *q;
}

__attribute__((noinline)) void g(struct pair *restrict a, int n)
{
  for (int i = n - 1; i > 0; i--)
    for (int j = n; j-- > 0;) {
      a[i * n + j].x += a[(i - 1) * n + j].y;
      a[i * n + j].y -= a[i * n + n - 1 - j].x;
    }
}

__attribute__((noinline)) void h(double *a, long n, long stride)
{
  for (long i = 0; i < n; i++)
    for (long j = n; j > i; j--)
      a[(i - j) * 3 + i * stride] += i * 10 + j;
}

static double a[1000];

int main(void)
{
  for (int i = 0; i < 1000; i++)
    a[i] = i % 21;
  f(a, a + 40);
  f(a + 10, a + 10);
  f(a + 50, a + 3);
  g((struct pair *)a, 20);
  h(a + 500, 20, 7);
  h(a + 500, 20, -7);
  h(a + 500, 20, 0);
  for (int i = 0; i < 1000; i++)
    printf("%a\n", a[i]);
}
