// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The outer loop isn't modelled (it follows a list); in the inner ones k * ld is a product of two values that don't
// change, and becomes a parameter of its own.
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -Rpass=tessera %s -o %t.tessera 2>&1 | %FileCheck %s
// RUN: %clang -O2 %s -o %t.plain
// RUN: %t.plain > %t.want
// RUN: %t.tessera | diff %t.want -
// CHECK: subscript-product-of-parameters.c:[[@LINE+6]]:{{.*}}remark: loop nest transformed
#include <stdio.h>

__attribute__((noinline)) static void update(int first, const int *next, int n, int ld, const double *a, double *c)
{
  for (int k = first; k >= 0; k = next[k])
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        c[i * ld + j] += a[k * ld + i] * a[k * ld + j];
}

int main(void)
{
  static double a[60 * 70], c[60 * 70];
  for (int i = 0; i < 60 * 70; i++)
    a[i] = (i % 7 - 3) * 0.01, c[i] = i * 0.001;
  static int next[60];
  for (int i = 0; i < 60; i++)
    next[i] = i < 20 ? (i + 7) % 20 == 0 ? -1 : (i + 7) % 20 : i - 20;
  update(59, next, 60, 70, a, c);
  update(13, next, 33, 33, a, c);
  update(7, next, 20, 70, c, c); // overlap
  double sum = 0;
  for (int i = 0; i < 60 * 70; i++)
    sum = sum * 0.5 + c[i];
  printf("%.17g\n", sum);
}
