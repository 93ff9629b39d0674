// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing of ours calls a vector library of mathematical functions: without -fveclib there is none, with or without
// -fapprox-func. With -fveclib LLVM's vectoriser uses it, and whole vectors give the same result.
//
// RUN: %clang -O2 -fno-math-errno %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fno-math-errno -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -lm -o %t \
// RUN:   2>&1 | %FileCheck %s
// RUN: %t | diff %t.expected -
// RUN: %llvm-nm -u %t | %FileCheck %s --check-prefix=NONE
// RUN: %clang -O2 -fno-math-errno -fapprox-func -fpass-plugin=%plugin -mllvm -tessera-force %s -lm -o %t
// RUN: %t | diff %t.expected -
// RUN: %llvm-nm -u %t | %FileCheck %s --check-prefix=NONE
// RUN: %clang -O2 -fno-math-errno -fveclib=libmvec %s -lmvec -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fno-math-errno -fveclib=libmvec -fpass-plugin=%plugin -mllvm -tessera-force %s -lmvec -lm -o %t
// RUN: %t | diff %t.expected -
// RUN: %clang -O2 -fno-math-errno -fapprox-func -fveclib=libmvec -fpass-plugin=%plugin -mllvm -tessera-force %s -lmvec -lm -o %t
// RUN: %t | diff %t.expected -

// CHECK: loop nest transformed
// NONE-NOT: _ZGV

#include <math.h>
#include <stdio.h>

#define N 64

__attribute__((noinline)) void f(double c[restrict N][N], double a[restrict N][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      c[i][j] = sin(a[i][j]) + exp(a[i][j] * 0.01);
}

/* outside of the domain too */
__attribute__((noinline)) void g(double c[restrict N][N], double a[restrict N][N])
{
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      c[i][j] = sqrt(a[i][j]) > 3 ? 1 : sqrt(a[i][j] - 2);
}

static double a[N][N], c[N][N];

int main(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = (i * 31 + j * 17) % 101 - 40;
  f(c, a);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      printf("%a\n", c[i][j]);
  g(c, a);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      printf("%a\n", isnan(c[i][j]) ? -1 : c[i][j]);
}
