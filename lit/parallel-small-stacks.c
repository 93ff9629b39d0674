// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads with stacks of 2 MiB are enough, also when the calling thread has less.
//
// REQUIRES: gomp
// RUN: %clang -O2 %s -lm -pthread -lgomp -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -gline-tables-only \
// RUN:   -Rpass=tessera %s -lm -pthread -lgomp -o %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 OMP_STACKSIZE=2M %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=3 OMP_STACKSIZE=64K %t > %t.out && diff %t.expected %t.out

// CHECK: loop nest transformed: {{.*}} 1 parallel

#include <pthread.h>
#include <stdio.h>

#define N 300

static double a[N * N], b[N * N];

__attribute__((noinline)) void f(double *restrict x, const double *restrict y, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < 9; k++)
        x[i * n + j] += y[i * n + k] * j;
}

static void *run(void *data)
{
  f(a, b, N);
  return data;
}

int main(void)
{
  for (int i = 0; i < N * N; i++)
    b[i] = i % 19;
  pthread_t thread;
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, 128 * 1024);
  pthread_create(&thread, &attr, run, NULL);
  pthread_join(thread, NULL);
  run(NULL);
  double sum = 0;
  for (int i = 0; i < N * N; i++)
    sum += a[i];
  printf("%a\n", sum);
}
