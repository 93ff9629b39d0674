// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A three-dimensional stencil computes the same in another order.
//
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=stencil -mllvm -tessera-print=ast \
// RUN:   -mllvm -tessera-tile-sizes=8 -c -o /dev/null %s 2>&1 | %FileCheck %s --check-prefix=AST
// RUN: %source-ir %s | %tessera-opt -passes='tessera<force;only=stencil>,verify' | %FileCheck %s --check-prefix=IR
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-tile-sizes=8 %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out

// AST: tessera: stencil.0
// AST-DAG: S0(
// AST-DAG: S1(

// IR-LABEL: define {{.*}}void @stencil(
// IR: tsr.loop:
// IR: store double
// IR: br i1 %{{.*}}!llvm.loop

#include <stdio.h>

#define N 37
static double a[N / 3][N / 3][N / 3], b[N / 3][N / 3][N / 3];

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
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N / 3 - 1; i++)
      for (int j = 1; j < N / 3 - 1; j++)
        for (int k = 1; k < N / 3 - 1; k++)
          b[i][j][k] = 0.125 * (a[i + 1][j][k] - 2.0 * a[i][j][k] + a[i - 1][j][k]) +
                       0.125 * (a[i][j + 1][k] - 2.0 * a[i][j][k] + a[i][j - 1][k]) +
                       0.125 * (a[i][j][k + 1] - 2.0 * a[i][j][k] + a[i][j][k - 1]) + a[i][j][k];
    for (int i = 1; i < N / 3 - 1; i++)
      for (int j = 1; j < N / 3 - 1; j++)
        for (int k = 1; k < N / 3 - 1; k++)
          a[i][j][k] = 0.125 * (b[i + 1][j][k] - 2.0 * b[i][j][k] + b[i - 1][j][k]) +
                       0.125 * (b[i][j + 1][k] - 2.0 * b[i][j][k] + b[i][j - 1][k]) +
                       0.125 * (b[i][j][k + 1] - 2.0 * b[i][j][k] + b[i][j][k - 1]) + b[i][j][k];
  }
}

int main(void)
{
  fill((double *)a, sizeof(a) / sizeof(double));
  fill((double *)b, sizeof(b) / sizeof(double));
  stencil(11);
  print((double *)a, sizeof(a) / sizeof(double));
  print((double *)b, sizeof(b) / sizeof(double));
}
