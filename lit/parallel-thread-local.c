// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread-local array is the one of the thread that called, whatever thread runs an iteration.
//
// REQUIRES: gomp
// RUN: %clang -O2 %s -lm -lgomp -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -gline-tables-only \
// RUN:   -Rpass=tessera %s -lm -lgomp -o %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out

// CHECK: loop nest transformed: {{.*}} 1 parallel

#include <stdio.h>

#define N 200

static _Thread_local double a[N * N], factor = 3;
static double b[N * N];

__attribute__((noinline)) void f(int n)
{
  double *mine = a, by = factor;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      mine[i * n + j] += by * b[i * n + j];
}

__attribute__((noinline)) void g(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] += factor * b[i * n + j];
}

int main(void)
{
  factor = 5;
  for (int i = 0; i < N * N; i++)
    b[i] = i;
  f(N);
  g(N - 7);
  for (int i = 0; i < N * N; i++)
    printf("%g\n", a[i]);
}
