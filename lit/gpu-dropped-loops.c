// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iterations of a kernel's loop in which there is no loop, as isl has dropped it around the first of them, and others around which
// there is one: all of one number are one thread's, also inside of further loops.
//
//   if (t % 2 == 0) { root(t / 2); for (i..) quotient(i, t / 2); }
//   for (j = t / 2 + 1; ..) ..
//
// REQUIRES: ptx
// UNSUPPORTED: asan
//
// RUN: %clang -O2 -fno-math-errno %s -o %t.plain && %t.plain > %t.want
// RUN: %clang -O2 -fno-math-errno -fpass-plugin=%plugin -mllvm -tessera-gpu -mllvm -tessera-force -mllvm -tessera-only=factorise %s %runtime -o %t
// RUN: env LD_LIBRARY_PATH=%interpreter TESSERA_RT_TRACE=1 %t > %t.out 2> %t.err && cmp %t.out %t.want
// RUN: %FileCheck %s --implicit-check-not=ptx: --input-file=%t.err
// RUN: env LD_LIBRARY_PATH=%interpreter TSR_PTX_ORDER=random TSR_PTX_SEED=3 TESSERA_RT_TRACE=1 %t > %t.out 2> %t.err
// RUN: cmp %t.out %t.want && %FileCheck %s --implicit-check-not=ptx: --input-file=%t.err

// CHECK: tsr_kernel_0
#include <stdio.h>

enum { N = 40 };
static double A[N][N];
double sqrt(double);

__attribute__((noinline)) void factorise(int n, double A[restrict n][n])
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
    for (int k = 0; k < i; k++)
      A[i][i] -= A[i][k] * A[i][k];
    A[i][i] = sqrt(A[i][i]);
  }
}

int main(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = i == j ? N : 1.0 / (1 + i + j);
  factorise(N, A);
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++)
      printf("%a\n", A[i][j]);
}
