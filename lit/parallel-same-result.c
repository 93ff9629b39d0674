// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The result is the same for every number of threads.
//
// REQUIRES: gomp
// RUN: %clang -O2 %s -lm -lgomp -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -gline-tables-only \
// RUN:   -Rpass=tessera %s -lm -lgomp -o %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=1 %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=2 %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=7 %t > %t.out && diff %t.expected %t.out

// CHECK: loop nest transformed: {{.*}} 1 parallel

#include <stdio.h>

#define N 150

__attribute__((noinline)) void gemm(double *restrict c, const double *restrict a, const double *restrict b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

__attribute__((noinline)) void triangle(double *restrict c, const double *restrict a, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      double x = a[i * n + j] * 3;
      c[i * n + j] -= x * x;
    }
}

static double a[N * N], b[N * N], c[N * N];

int main(void)
{
  for (int i = 0; i < N * N; i++) {
    a[i] = i % 17 * 0.37;
    b[i] = i % 23 * 0.11;
  }
  gemm(c, a, b, N);
  triangle(c, a, N);
  gemm(c, b, a, 1);
  gemm(c, b, a, 0);
  for (int i = 0; i < N * N; i++)
    printf("%a\n", c[i]);
}
