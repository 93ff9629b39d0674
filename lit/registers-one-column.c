// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the edge of a register tile is one column, isl makes no loop over columns. The loops over rows and sums aren't taken
// for others, though both have as many iterations as the tile has rows.
//
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-machine=znver4 -mllvm -tessera-force -mllvm -tessera-only=product \
// RUN:   -mllvm -tessera-print=ast %s -o %t 2>&1 | %FileCheck %s
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK: tessera: product.0
// CHECK: // registers 6x4x8 over 1 by [0,1,0]
// CHECK: tessera: product_transposed.0
// CHECK: // registers 12x2x8 over 1 by [0,1,0]

#include <stdio.h>

static double c[48][41], a[48][12], b[12][41], d[17][12];

__attribute__((noinline)) void product(void)
{
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 41; j++)
      for (int k = 0; k < 5; k++)
        c[i][j] += a[i][k] * b[k][j];
}

__attribute__((noinline)) void product_transposed(void)
{
  for (int i = 0; i < 48; i++)
    for (int j = 0; j < 17; j++)
      for (int k = 0; k < 12; k++)
        c[i][j] += a[i][k] * d[j][k];
}

__attribute__((noinline, optnone)) static void fill(double *x, int n)
{
  for (int i = 0; i < n; i++)
    x[i] = (i * 7 + 3) % 11 * 0.37;
}

int main(void)
{
  fill(c[0], sizeof(c) / sizeof(double));
  fill(a[0], sizeof(a) / sizeof(double));
  fill(b[0], sizeof(b) / sizeof(double));
  fill(d[0], sizeof(d) / sizeof(double));
  product();
  product_transposed();
  for (int i = 0; i < 48; i++)
    for (int j = 0; j < 41; j++)
      printf("%a\n", c[i][j]);
}
