// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: gomp
// A loop of which one iteration at most writes a value that lives in a register, and which a later instance of the loop reads, has
// no conflict and still can't be given to threads: each would hand back a value of its own. Feautrier's step makes such
// loops of this sum.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -mllvm -tessera-schedule=feautrier -mllvm -tessera-only=^test_ -gline-tables-only -Rpass=tessera %s -lgomp -o %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out

// CHECK: transformed:

#include <stdio.h>

#define M 20
#define N 30

static double C[M][N], A[M][M], B[M][N];

__attribute__((noinline)) void test_symm(double alpha, double beta)
{
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += alpha * B[i][j] * A[i][k];
        sum += B[k][j] * A[i][k];
      }
      C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * sum;
    }
}

int main(void)
{
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      A[i][j % M] = (i + 2 * j) % 9;
      B[i][j] = (3 * i + j) % 7;
      C[i][j] = (i * j) % 5;
    }
  test_symm(1.5, 0.5);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      printf("%g\n", C[i][j]);
  return 0;
}
