// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns of B from 32 on are never read, as A has but 21: of the register tiles, some would never run. What is left beside
// tiles reads the arrays themselves, not buffers, which are filled for tiles alone.
//
// DEFINE: %{options} = -march=x86-64-v4 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late
// RUN: %clang -O2 %s -S -o - %{options} -gline-tables-only -Rpass=tessera 2>&1 | %FileCheck %s
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t && %t > %t.out && diff %t.expected %t.out

// CHECK: loop nest transformed: {{.*}} with 2 packed operands

#include <stdio.h>

static double A[22][21], B[50][50];

__attribute__((noinline)) void triangle(int n, int m)
{
  for (int i = 0; i < n; i += 1)
    for (int j = 0; j < i; j += 1)
      for (int k = 0; k < m; k += 1)
        A[i][j] += B[i][k] * B[k][j];
}

__attribute__((noinline, optnone)) int main(void)
{
  for (int i = 0; i < 22; i++)
    for (int j = 0; j < 21; j++)
      A[i][j] = i * 100 + j;
  for (int i = 0; i < 50; i++)
    for (int j = 0; j < 50; j++)
      B[i][j] = i * 7 % 5 + j % 9 + 1;
  for (int n = 0; n <= 22; n++)
    triangle(n, n * 5 % 51);
  for (int i = 0; i < 22; i++)
    for (int j = 0; j < 21; j++)
      printf("%g\n", A[i][j]);
}
