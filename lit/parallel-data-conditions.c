// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: gomp
// Loops with conditions on data run in parallel, values in registers and all.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -mllvm -tessera-only=^test_ \
// RUN:   -gline-tables-only -Rpass=tessera %s -lgomp -o %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out

// CHECK: transformed: {{.*}} 1 parallel
// CHECK: transformed: {{.*}} 1 parallel

#include <stdio.h>

#define N 300

__attribute__((noinline)) void test_clamp(int n, double A[N][N], const double B[N][N])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double x = B[j][i];
      if (x < 3)
        x = x * x;
      else if (x > 9)
        continue;
      A[i][j] += x;
    }
}

__attribute__((noinline)) void test_switch(int n, int *restrict a, const int *restrict kind)
{
  for (int i = 0; i < n; i++)
    switch (kind[i]) {
    case 1: a[i] = 5; break;
    case 3: a[i] += 3;
    case 4: a[i] *= 2; break;
    case 9: a[i] = 7;
    }
}

static double A[N][N], B[N][N];
static int a[N], kind[N];

int main(void)
{
  for (int i = 0; i < N; i++) {
    kind[i] = i * 7 % 11;
    for (int j = 0; j < N; j++)
      B[i][j] = (i * 3 + j * 5) % 13;
  }
  test_clamp(N, A, B);
  test_clamp(3, A, B);
  test_switch(N, a, kind);
  test_switch(1, a, kind);
  double s = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      s = s * 1.0001 + A[i][j] + a[j];
  printf("%.17g\n", s);
}
