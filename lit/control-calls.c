// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call is made only where the original makes it, although the callee touches no memory: elsewhere it would trap.
//
// RUN: %clang -O2 %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only='^f$' -gline-tables-only -Rpass=tessera %s \
// RUN:   -lm -o %t 2>&1 | %FileCheck %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out

// CHECK: loop nest transformed

#include <stdio.h>

#define N 60

__attribute__((noinline, const, nothrow)) double inverse(double x)
{
  if (x == 0)
    __builtin_trap();
  return 1 / x;
}

__attribute__((noinline)) void f(double c[restrict N][N], double a[restrict N][N], double b, int n, int m)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      if (i + j < n)
        c[i][j] += inverse(a[i][j]);
      if (m > 3)
        c[i][j] *= inverse(b);
    }
}

static double a[N][N], c[N][N];

int main(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i + j < N ? i + j + 1 : 0;
  f(c, a, 0, N, 3);
  f(c, a, 2, N, 4);
  f(c, a, 0, 0, 4);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      printf("%a\n", c[i][j]);
}
