// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is assumed doesn't list each loop that may be empty, nor where an overflow would matter: one condition for each array.
// Where it doesn't hold, though nothing is wrong as the loops are empty, or rows overlap, the original loops run.
//
// RUN: %remarks -g -fwrapv %s | %FileCheck %s
// RUN: %clang -O2 -fwrapv %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fwrapv -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out
#include <stdio.h>

// CHECK: Function: {{ *}}product
// CHECK: Assumptions: {{.*}} -> {  : n >= -2147483648 and -2147483648 <= m <= 2147483647 and k >= -2147483648 and n <= ldc <= 2147483647 and n <= ldb <= 2147483647 and k <= lda <= 2147483647 }
__attribute__((noinline)) void product(double *restrict c, const double *a, const double *b, long m, long n, long k,
                                       long lda, long ldb, long ldc)
{
  for (long l = 0; l < k; l++)
    for (long i = 0; i < m; i++)
      for (long j = 0; j < n; j++)
        c[ldc * i + j] += a[lda * i + l] * b[ldb * l + j];
}

// CHECK: Function: {{ *}}shifted
// CHECK: Assumptions: {{.*}} -> {  : n <= 2147483649 - at - m }
__attribute__((noinline)) void shifted(double *restrict a, const double *b, int n, int m, int at, int flag)
{
  for (int i = 0; i < n; i++)
    if (flag > 3)
      for (int j = 0; j < m; j++)
        a[i + j + at] += b[j];
}

static double a[400], b[400], c[400];

static void show(const char *what, int x, int y, int z)
{
  double sum = 0;
  for (int i = 0; i < 400; i++)
    sum += c[i] * (i % 17 - 3);
  printf("%s %d %d %d: %.17g\n", what, x, y, z, sum);
}

int main(void)
{
  static const int sizes[] = {-1, 0, 1, 2, 7, 13};
  enum { N = sizeof(sizes) / sizeof(*sizes) };
  for (int i = 0; i < 400; i++)
    a[i] = i % 7 + 0.5, b[i] = 3 - i % 5, c[i] = i;
  for (int m = 0; m < N; m++)
    for (int n = 0; n < N; n++)
      for (int k = 0; k < N; k++)
        for (int ld = 1; ld < 20; ld += 6) {
          product(c, a, b, sizes[m], sizes[n], sizes[k], ld, 20 - ld, ld);
          show("product", sizes[m], sizes[n], ld);
          shifted(c, b, sizes[m], sizes[n], sizes[k] + 1, k);
          shifted(c, b, sizes[m], 0, 2147483647, 4); /* would overflow, if it ran */
          show("shifted", sizes[m], sizes[n], k);
        }
  return 0;
}
