// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Increments behind pointers, as Fortran passes them: what is added to a counter in each iteration is an invariant like a
// bound is, and where the counter begins may depend on it.
//
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v4 -ffp-contract=off -fpass-plugin=%plugin -gline-tables-only -Rpass=tessera -c %s -o %t.o 2>&1 \
// RUN:   -mllvm -tessera-only=^dot_ | %FileCheck %s
// RUN: %clang -O3 -march=native -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin %s -o %t && %t > %t.out && diff %t.expected %t.out

// CHECK: :[[@LINE+11]]:{{[0-9]+}}: remark: loop nest transformed: {{.*}} register tiles of 1x2 vectors of 8

#include <stdio.h>
#include <stdlib.h>

/* y := alpha * a * x + y, rows of a by dot products */
__attribute__((noinline)) void dot_rows(const int *restrict m, const int *restrict n, const double *restrict alpha,
                                        const double *restrict a, const int *restrict ld, const double *restrict x,
                                        double *restrict y, const int *restrict incy)
{
  int last = *n - 1, at = *incy > 0 ? 0 : -last * *incy;
  for (int j = 0; j < *n; j++) {
    double t = 0;
    for (int i = 0; i < *m; i++)
      t += a[(long)j * *ld + i] * x[i];
    y[at] += *alpha * t;
    at += *incy;
  }
}

int main(void)
{
  enum { LD = 120 };
  static double a[LD * LD], x[LD], y[3 * LD];
  static const int size[][2] = {{0, 3}, {3, 0}, {1, 1}, {5, 8}, {8, 9}, {33, 17}, {100, 64}, {119, 101}};
  double alpha = 1.5;
  for (int i = 0; i < LD * LD; i++)
    a[i] = i * 7 % 13 - 5.5;
  for (int i = 0; i < LD; i++)
    x[i] = i % 5 - 1.25;
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++)
    for (int inc = -3; inc <= 3; inc++) {
      int m = size[s][0], n = size[s][1], ld = LD - (int)s % 2;
      double sum = 0;
      for (int i = 0; i < 3 * LD; i++)
        y[i] = i % 11;
      dot_rows(&m, &n, &alpha, a, &ld, x, y, &inc);
      for (int i = 0; i < 3 * LD; i++)
        sum = sum * 0.99 + y[i];
      printf("%d %d %d %.17g\n", m, n, inc, sum);
    }
  return 0;
}
