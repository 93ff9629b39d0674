// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices that overlap, if only by a row or an element, are left to the original code.
//
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-machine=znver4 -mllvm -tessera-force -mllvm -tessera-only=product \
// RUN:   -mllvm -tessera-print=ast %s -o %t 2>&1 | %FileCheck %s
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK: tessera: product.0
// CHECK: // registers

#include <stdio.h>

enum { N = 45, LD = 48, ALL = 40000 };

__attribute__((noinline)) void product(int n, int ld, double *c, double *a, double *b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * ld + j] += a[i * ld + k] * b[k * ld + j];
}

static double x[ALL];

__attribute__((noinline, optnone)) static void test(long a, long b)
{
  for (int i = 0; i < ALL; i++)
    x[i] = (i * 7 + 3) % 11 * 0.0137;
  product(N, LD, x + 15000, x + 15000 + a, x + 15000 + b);
  double sum = 0;
  for (int i = 0; i < ALL; i++)
    sum = sum * 0.999 + x[i];
  printf("%ld %ld %a\n", a, b, sum);
}

__attribute__((noinline, optnone)) int main(void)
{
  const long size = (N - 1) * LD + N; /* from the first to the last element */
  static const long near[] = {-LD - 1, -LD, -LD + 1, -2, -1, 0, 1, 2, LD - 1, LD, LD + 1};
  for (int i = 0; i < 11; i++) {
    test(size + near[i], 10000);
    test(-size + near[i], 10000);
    test(10000, size + near[i]);
    test(10000, -size + near[i]);
    test(near[i], 10000);
    test(10000, near[i]);
    test(10000, 10000 + near[i]);
  }
  return 0;
}
