// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of A times rows of B, as BLAS has it: the sum's loop may be empty, so that its value behind it comes from one of two
// statements, in pieces of all that is assumed of leading dimensions. In each piece one of the two has written it before it is
// read, so that the loop j runs in lanes. A condition on a parameter splits the domain of another statement in two: each piece is convex.
//
// DEFINE: %{options} = -fpass-plugin=%plugin -mllvm -tessera-expand=never
// RUN: %clang -O3 %{options} -mllvm -tessera-only='rows|unless' -mllvm -tessera-print=ast -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o /dev/null 2>&1 | %FileCheck %s
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 %{options} %s -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 %{options} -mllvm -tessera-force %s -o %t && %t > %t.out && diff %t.expected %t.out

// CHECK: tessera: rows.0
// CHECK: // lockstep {{[1-4]}}x2
// CHECK: lockstep-empty.c:[[#@LINE+10]]:3: remark: loop nest transformed: {{.*}} 1 outer loop in lanes of {{[1-4]}}x2
// CHECK: tessera: unless.0
// CHECK: // lockstep {{[1-4]}}x4
// CHECK: lockstep-empty.c:[[#@LINE+19]]:3: remark: loop nest transformed: {{.*}} 1 outer loop in lanes of {{[1-4]}}x4

#include <stdio.h>

__attribute__((noinline)) void rows(int m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb,
                                    double *c, int ldc)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int l = 0; l < k; l++)
        sum += a[i * lda + l] * b[j * ldb + l];
      c[i * ldc + j] += alpha * sum;
    }
}

__attribute__((noinline)) void unless(int m, int n, int k, int unit, const float *a, int lda, const float *b, int ldb,
                                      float *c, int ldc)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int l = 0; l < k; l++)
        sum += a[i * lda + l] * b[j * ldb + l];
      if (unit == 131)
        c[i * ldc + j] = sum;
      else
        c[i * ldc + j] += sum;
    }
}

enum { N = 70 };

static double a[N * N], b[N * N], c[N * N];
static float af[N * N], bf[N * N], cf[N * N];

int main(void)
{
  static const int size[] = {0, 1, 2, 7, 8, 9, 31, 33, 64, 65};
  for (int i = 0; i < N * N; i++) {
    a[i] = af[i] = i % 13 * 0.25f - 1.5f;
    b[i] = bf[i] = i % 7 * 0.5f - 0.3f;
  }
  for (int x = 0; x < 10; x++)
    for (int y = 0; y < 10; y++) {
      int m = size[x], n = size[y], k = size[(x + y) % 10];
      rows(m, n, k, 1.25, a, N, b, N - 1, c, N);
      unless(n, m, k, 130 + x % 3, af, N, bf, N, cf, N - 2);
    }
  for (int i = 0; i < N * N; i++)
    printf("%a %a\n", c[i], cf[i]);
  return 0;
}
