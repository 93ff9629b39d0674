// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where no row of a table is used, the run-time check of its rows loads none: what their first subscript would be lies
// anywhere.
//
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=one -Rpass=tessera %s -o %t 2>&1 | %FileCheck %s
// RUN: %t > %t.out && diff %t.expected %t.out
// CHECK: remark: loop nest transformed

#include <stdio.h>

__attribute__((noinline)) void one(int ld, int e, double *A, double **C)
{
  for (int i = e - 5; i < e; i++)
    if (i == 6)
      A[(i - e + 6) * ld + (i - e + 5)] = C[i - e + 6][i - e + 5];
}

int main(void)
{
  static double a[100], c[10][10], *rows[10];
  for (int i = 0; i < 10; i++) {
    rows[i] = c[i];
    for (int j = 0; j < 10; j++)
      c[i][j] = i * 10 + j;
  }
  static const int ends[] = {2097147, 1000000000, -1000000000, 0, 6, 7, 9, 11, 12};
  for (unsigned k = 0; k < sizeof(ends) / sizeof(*ends); k++)
    one(7, ends[k], a, rows);
  double sum = 0;
  for (int i = 0; i < 100; i++)
    sum += a[i] * (i + 1);
  printf("%g\n", sum);
}
