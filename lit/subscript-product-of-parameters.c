// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The outer loop isn't modelled (its condition depends on data); in the inner ones k * ld is a product of two values that don't
// change, and becomes a parameter of its own.
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -Rpass=tessera %s -o %t.tessera 2>&1 | %FileCheck %s
// RUN: %clang -O2 %s -o %t.plain
// RUN: %t.plain > %t.want
// RUN: %t.tessera | diff %t.want -
// CHECK: subscript-product-of-parameters.c:[[@LINE+9]]:{{.*}}remark: loop nest transformed
#include <stdio.h>

__attribute__((noinline)) static void update(int n, int ld, const double *a, double *c)
{
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++) {
      double t = a[k * ld + i];
      if (t > 0)
        for (int j = 0; j < n; j++)
          c[i * ld + j] += t * a[k * ld + j];
    }
}

int main(void)
{
  static double a[60 * 70], c[60 * 70];
  for (int i = 0; i < 60 * 70; i++)
    a[i] = (i % 7 - 3) * 0.01, c[i] = i * 0.001;
  update(60, 70, a, c);
  update(33, 33, a, c);
  update(20, 70, c, c); // overlap
  double sum = 0;
  for (int i = 0; i < 60 * 70; i++)
    sum = sum * 0.5 + c[i];
  printf("%.17g\n", sum);
}
