// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The example of README.md, from there: its commands are obeyed, and its blur computes the same.
//
// RUN: sed -n '/^    blur:/,/^$/p' %S/../README.md > %t.commands
// RUN: sed -n '/^void blur/,/^}/p' %S/../README.md > %t.h
// RUN: %clang -O2 -DBLUR='"%t.h"' %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -g -DBLUR='"%t.h"' -fpass-plugin=%plugin -mllvm -tessera-commands=%t.commands -mllvm -tessera-print=ast %s \
// RUN:   -o %t 2> %t.ast && %t | diff %t.expected -
// RUN: %FileCheck %s --input-file=%t.ast

// CHECK-LABEL: tessera: blur.0
// CHECK:         for (int c0 =
// CHECK-NEXT:      for (int c1 =
// CHECK:             S0(
// CHECK:             // vector
// CHECK-NEXT:        for (int c3 =
// CHECK-NEXT:          S1(32 * c0 + c2, 256 * c1 + c3);

#include <stdio.h>

#define M 520
static float in[103][M + 2], bx[103][M], by[103][M];

#include BLUR

__attribute__((noinline)) static void run(int n, int m)
{
  blur(n, m);
}

int main(void)
{
  for (int i = 0; i < 103 * (M + 2); i++)
    (&in[0][0])[i] = (float)(i * 7 % 31) * 0.25f;
  run(103, M);
  run(5, 3);
  for (int i = 0; i < 103 * M; i++)
    printf("%a\n", (&by[0][0])[i]);
}
