// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two statements of a one-dimensional stencil share skewed tiles in time and space.
//
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=stencil -mllvm -tessera-print=ast \
// RUN:   -mllvm -tessera-tile-sizes=8 -c -o /dev/null %s 2>&1 | %FileCheck %s --check-prefix=AST
// RUN: %source-ir %s | %tessera-opt -passes='tessera<force;only=stencil>,verify' | %FileCheck %s --check-prefix=IR
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-tile-sizes=8 %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out

// Two tile loops, two point loops, and in the innermost one both statements, S0 at time t beside S1 at an earlier place.
// AST: tessera: stencil.0
// AST: for (int [[T:c[0-9]+]] = 0;
// AST: for (int [[X:c[0-9]+]] =
// AST: for (int [[P:c[0-9]+]] =
// AST: for (int [[Q:c[0-9]+]] =
// AST-DAG: S0(8 * [[T]] + [[P]], {{.*}}[[Q]])
// AST-DAG: S1(8 * [[T]] + [[P]], {{.*}}[[Q]] - 1)

// IR-LABEL: define {{.*}}void @stencil(
// IR: tsr.loop:
// IR: store double
// IR: br i1 %{{.*}}!llvm.loop

#include <stdio.h>

#define N 37
static double a[N], b[N];

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
    for (int i = 1; i < N - 1; i++)
      b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
    for (int i = 1; i < N - 1; i++)
      a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1]);
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
