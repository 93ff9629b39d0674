// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The address of a thread_local array is taken in front of the nest, and of the threads of a parallel loop.
//
// REQUIRES: gomp
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -gline-tables-only -Rpass=tessera %s \
// RUN:   -lgomp -o %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %t > %t.out
// RUN: diff %t.expected %t.out

// CHECK: loop nest transformed

#include <stdio.h>

static _Thread_local int a[200][200];

__attribute__((noinline)) void f(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] += 3 * i - j;
}

int main(void)
{
  unsigned sum = 0;
  for (int n = 0; n <= 200; n += 50)
    f(n);
  for (int i = 0; i < 200 * 200; i++)
    sum = sum * 31 + (unsigned)a[0][i];
  printf("%u\n", sum);
}
