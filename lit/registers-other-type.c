// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An element that is read as another type than it is written as is not held in registers.
//
// RUN: %clang -O1 -fno-strict-aliasing %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fno-strict-aliasing -fpass-plugin=%plugin -mllvm -tessera-machine=znver4 -mllvm -tessera-force \
// RUN:   -mllvm -tessera-only=product -mllvm -tessera-print=ast %s -o %t 2>&1 | %FileCheck %s
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK: tessera: product.0
// CHECK-NOT: registers
// CHECK-NOT: internal error

#include <stdio.h>

union number {
  int as_int;
  float as_float;
};

static union number c[64][64];
static float a[64][64], b[64][64];

__attribute__((noinline)) void product(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j].as_int = (int)(c[i][j].as_float + a[i][k] * b[k][j]);
}

int main(void)
{
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++) {
      c[i][j].as_float = i % 7 + j % 3;
      a[i][j] = j % 5;
      b[i][j] = i % 3;
    }
  product(64);
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++)
      printf("%d\n", c[i][j].as_int);
}
