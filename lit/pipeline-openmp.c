// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that uses OpenMP itself compiles and runs with the plugin.
//
// RUN: %clang -O2 -fopenmp=libgomp %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fopenmp=libgomp -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel %s -o %t
// RUN: env OMP_NUM_THREADS=3 %t | diff %t.expected -
// REQUIRES: gomp

#include <stdio.h>

#define N 90

__attribute__((noinline)) void product(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static double a[N * N], b[N * N], c[N * N];

int main(void)
{
  for (int i = 0; i < N * N; i++) {
    a[i] = i % 17 * 0.37;
    b[i] = i % 23 * 0.11;
  }
  for (int n = 0; n <= N; n += 30)
    product(n, c, a, b);
  for (int i = 0; i < N * N; i += 7)
    printf("%a\n", c[i]);
}
