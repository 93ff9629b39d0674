// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where there is no driver, or it shan't be used, a program with code for a GPU says nothing and computes what it computes
// without: with the option alone, and where it is told to try the GPU at any size.
// UNSUPPORTED: asan
//
// RUN: %clang -O2 %s -o %t.plain
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-gpu %s %runtime -o %t.asked
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-gpu -mllvm -tessera-force %s %runtime -o %t.forced
// RUN: %llvm-nm %t.forced | %FileCheck %s --check-prefix=CALLS
// RUN: %t.plain > %t.want
// RUN: %t.asked > %t.out 2> %t.err && cmp %t.out %t.want && %count 0 < %t.err
// RUN: %t.forced > %t.out 2> %t.err && cmp %t.out %t.want && %count 0 < %t.err
// RUN: env TESSERA_RT_DEVICE=none TESSERA_RT_TRACE=1 %t.forced > %t.out 2> %t.err && cmp %t.out %t.want && %count 0 < %t.err

// CALLS-DAG: tsr_rt_begin
// CALLS-DAG: tsr_rt_launch
// CALLS-DAG: tsr_rt_end
#include <errno.h>
#include <stdio.h>

enum { N = 150 };
static double A[N][N], B[N][N], C[N][N];

__attribute__((noinline)) void product(int n, double A[restrict][N], double B[restrict][N], double C[restrict][N])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] *= 1.5;
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
    }
}

int main(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * j % 17) / 3.0;
      B[i][j] = (i + 2 * j) % 11 / 7.0;
      C[i][j] = i - j;
    }
  errno = 42;
  product(N - 1, A, B, C);
  printf("errno %d\n", errno);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      printf("%a\n", C[i][j]);
}
