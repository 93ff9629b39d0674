// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that overlap are seen at run time, in all positions to each other.
//
// RUN: %clang -O2 %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -lm -o %t 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out

// CHECK: loop nest transformed

#include <stdio.h>
#include <string.h>

__attribute__((noinline)) void f(int *a, int *b, int n)
{
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      a[i * 12 + j] = b[(i - 1) * 12 + j] + b[i * 12 + j - 1] + 1;
}

int main(void)
{
  static int x[600];
  for (int shift = -160; shift <= 160; shift++) {
    for (int i = 0; i < 600; i++)
      x[i] = i;
    f(x + 200, x + 200 + shift, 12);
    unsigned h = 0;
    for (int i = 0; i < 600; i++)
      h = h * 31 + x[i];
    printf("%d %x\n", shift, h);
  }
}
