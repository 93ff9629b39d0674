// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A square root outside of its domain goes through the function: errno is set exactly when the original sets it, with
// threads, too.
//
// REQUIRES: gomp
// RUN: %clang -O2 %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -mllvm -tessera-only='^f$' -gline-tables-only -Rpass=tessera %s \
// RUN:   -lm -lgomp -o %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=1 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=3 %t | diff %t.expected -
// RUN: %llvm-nm -u %t | %FileCheck %s --check-prefix=CALL

// CHECK: loop nest transformed{{.*}} 1 parallel
// CALL: sqrt

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define N 70

__attribute__((noinline)) void f(double c[restrict N][N], double a[restrict N][N], int n)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      if (i > j)
        c[i][j] = sqrt(a[i][j]);
}

static double a[N][N], c[N][N];

int main(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i == 60 && j == 50 ? -1 : i <= j ? -7 : i - j;
  for (int n = 0; n <= N; n += 35) {
    errno = 0;
    f(c, a, n);
    printf("%d %d\n", n, errno == EDOM);
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      printf("%a\n", isnan(c[i][j]) ? -1 : c[i][j]);
}
