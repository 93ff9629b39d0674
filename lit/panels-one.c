// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix with no more columns than a panel has: isl makes no loop over panels, and all of it is in the array of the only one.
//
// REQUIRES: native-avx2
// RUN: rm -rf %t && %split-file %s %t && %clang -O2 -march=x86-64-v3 %t/a.c -o %t/plain
// RUN: %clang -O2 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-commands=%t/commands -mllvm -tessera-print=ast %t/a.c -o %t/a 2> %t/ast
// RUN: %FileCheck %s --input-file=%t/ast
// RUN: %t/plain > %t/expected && %t/a | diff %t/expected -

// CHECK-LABEL: tessera: columns.0
// CHECK: load_A_{{[01]}}(0, c1, c2);
// CHECK: store_A_{{[01]}}(0, c1, c2);

//--- commands
columns:
  panels()
//--- a.c
#include <stdio.h>
#define N 48
__attribute__((noinline)) void columns(double A[restrict N][N], double s[restrict N], double Q[restrict N][N])
{
  for (int k = 0; k < N; k++) {
    for (int i = 0; i < N; i++)
      Q[i][k] = A[i][k] * 0.01;
    for (int j = k + 1; j < N; j++) {
      s[j] = 0;
      for (int i = 0; i < N; i++)
        s[j] += Q[i][k] * A[i][j];
      for (int i = 0; i < N; i++)
        A[i][j] -= Q[i][k] * s[j];
    }
  }
}

static double A[N][N], s[N], Q[N][N];

int main(void)
{
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = 1 + (i * 7 + j * 3) % 13;
  columns(A, s, Q);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += A[i][j] * (i + 2 * j) + Q[i][j];
  printf("%.17g\n", sum);
  return 0;
}
