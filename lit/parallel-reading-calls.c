// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call that may read a variable of its thread is made by the thread that runs the nest; one that reads through its
// arguments alone may be made by any.
//
// REQUIRES: gomp
// RUN: %clang -O2 %s -lgomp -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -gline-tables-only \
// RUN:   -mllvm -tessera-only='^f_' -mllvm -tessera-position=late -Rpass=tessera %s -lgomp -o %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out

#include <stdio.h>

#define N 200

static _Thread_local double factor = 3;
static double b[N * N], out[N * N];

__attribute__((noinline, pure)) static double scaled(double x)
{
  return x * factor;
}

__attribute__((noinline)) static double pair(const double *p, int n)
{
  return p[0] + p[n];
}

// CHECK: [[#@LINE+3]]:{{[0-9]+}}: remark: loop nest transformed: {{.*}} 0 parallel
__attribute__((noinline)) void f_thread(double *restrict a, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] += scaled(b[i * n + j]);
}

// CHECK: [[#@LINE+3]]:{{[0-9]+}}: remark: loop nest transformed: {{.*}} 1 parallel
__attribute__((noinline)) void f_arguments(double *restrict a, const double *p, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] += pair(p + j * n, i);
}

int main(void)
{
  factor = 5;
  for (int i = 0; i < N * N; i++)
    b[i] = i;
  f_thread(out, N);
  f_arguments(out, b, N);
  for (int i = 0; i < N * N; i++)
    printf("%g\n", out[i]);
}
