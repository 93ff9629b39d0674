// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Called from inside a parallel region, the code runs in the calling thread alone.
//
// REQUIRES: gomp
// RUN: %clang -O2 %s -lm -lgomp -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -gline-tables-only \
// RUN:   -Rpass=tessera %s -lm -lgomp -o %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=3 OMP_MAX_ACTIVE_LEVELS=4 %t > %t.out && diff %t.expected %t.out

// CHECK: loop nest transformed: {{.*}} 1 parallel

#include <stdio.h>

#define N 120

void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
int omp_get_thread_num(void);
int omp_get_level(void);
int omp_get_active_level(void);

static double a[4][N * N];

__attribute__((noinline)) void f(double *x, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i * n + j] = x[i * n + j] * 2 + i;
}

static void work(void *data)
{
  (void)data;
  f(a[omp_get_thread_num()], N);
}

int main(void)
{
  GOMP_parallel(work, NULL, 4, 0);
  f(a[0], N);
  double sum[4] = {0};
  for (int i = 0; i < N * N; i++)
    for (int k = 0; k < 4; k++)
      sum[k] += a[k][i] * (i % 7);
  printf("%a %a %a %a\n", sum[0], sum[1], sum[2], sum[3]);
}
