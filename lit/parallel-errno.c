// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What calls on other threads do to errno is seen by the thread that called; theirs stays as it was.
//
// RUN: %clang -O2 -fmath-errno %s -lm -o %t.plain -lgomp -fopenmp=libgomp && %t.plain > %t.expected
// RUN: %clang -O2 -fmath-errno -fpass-plugin=%plugin -mllvm -tessera-parallel -gline-tables-only -Rpass=tessera %s -lm \
// RUN:   -fopenmp=libgomp -o %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=1 %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=4 %t > %t.out && diff %t.expected %t.out
//
// CHECK: parallel-errno.c:[[#@LINE+12]]:{{.*}} loop nest transformed: {{.*}} 1 parallel
// exp may give errno two values, and the last one counts.
// CHECK-NOT: parallel-errno.c:[[#@LINE+17]]:{{.*}} {{[1-9]}} parallel

#include <errno.h>
#include <math.h>
#include <stdio.h>

int omp_get_thread_num(void);

__attribute__((noinline)) void roots(double *restrict a, const double *restrict b, long n)
{
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      a[j * n + i] = sqrt(b[i * n + j]);
}

__attribute__((noinline)) void powers(double *restrict a, const double *restrict b, long n)
{
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      a[j * n + i] = exp(b[i * n + j]);
}

#define N 700
static double a[N * N], b[N * N];

static void show(const char *what)
{
  double sum = 0;
  for (int i = 0; i < N * N; i++)
    sum += a[i] == a[i] ? a[i] * (i % 7) : 1;
  printf("%s %d %.17g\n", what, errno, sum);
}

int main(void)
{
  for (int i = 0; i < N * N; i++)
    b[i] = i % 100;
#pragma omp parallel
  errno = ENOENT;
  roots(a, b, N);
  show("as it was");
  b[N * N - 5] = -1;
  roots(a, b, N);
  show("domain");
  int others = 0;
#pragma omp parallel reduction(+ : others)
  others += omp_get_thread_num() > 0 && errno != ENOENT;
  printf("%d\n", others);
  errno = 0;
  b[N * N - 5] = 1000;
  powers(a, b, N);
  show("range");
}
