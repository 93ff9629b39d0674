// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An in-place stencil, which carries dependences in all directions, is skewed and tiled.
//
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=stencil -mllvm -tessera-print=ast \
// RUN:   -mllvm -tessera-tile-sizes=8 -c -o /dev/null %s 2>&1 | %FileCheck %s --check-prefix=AST
// RUN: %source-ir %s | %tessera-opt -passes='tessera<force;only=stencil>,verify' | %FileCheck %s --check-prefix=IR
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-tile-sizes=8 %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out

// AST: tessera: stencil.0
// AST-NOT: vector
// AST: for (int [[T:c[0-9]+]] = 0;
// AST-COUNT-4: for (int
// AST: for (int [[R:c[0-9]+]] =
// AST-DAG: S0(8 * [[T]] + {{.*}}[[R]])

// IR-LABEL: define {{.*}}void @stencil(
// IR: tsr.loop:
// IR: store double
// IR: br i1 %{{.*}}!llvm.loop

#include <stdio.h>

#define N 37
static double a[N][N];

static void fill(double *x, long n)
{
  for (long i = 0; i < n; i++)
    x[i] = (i * 7 % 31) * 0.25;
}

static void print(const double *x, long n)
{
  for (long i = 0; i < n; i++)
    printf("%a\n", x[i]);
}

__attribute__((noinline)) void stencil(int steps)
{
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j - 1] +
                   a[i + 1][j] + a[i + 1][j + 1]) / 9.0;
}

int main(void)
{
  fill((double *)a, sizeof(a) / sizeof(double));
  stencil(11);
  print((double *)a, sizeof(a) / sizeof(double));
}
