// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A choice by a flag between nests, behind other conditions, too: each nest is a SCoP of its own, as only one of them runs.
//
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -mllvm -tessera-only=^add$ -Rpass=tessera %s -o %t 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK-COUNT-4: loop nest transformed

#include <stdio.h>

enum { N = 50 };

__attribute__((noinline)) void add(int n, int up, int left, double alpha, double a[N][N], double b[N][N])
{
  if (n > 0 && alpha != 0) {
    if (up) {
      if (left)
        for (int i = 0; i < n; i++)
          for (int j = 0; j < n; j++)
            b[i][j] += alpha * a[i][j];
      else
        for (int i = 0; i < n; i++)
          for (int j = 0; j < n; j++)
            b[j][i] += alpha * a[i][j];
    } else {
      if (left)
        for (int i = 0; i < n; i++)
          for (int j = 0; j < i; j++)
            b[i][j] -= alpha * a[i][j];
      else
        for (int i = 0; i < n; i++)
          for (int j = 0; j < i; j++)
            b[j][i] -= alpha * a[i][j];
    }
  }
}

int main(void)
{
  static double a[N][N], b[N][N];
  for (int i = 0; i < N * N; i++)
    a[i / N][i % N] = i % 13;
  for (int way = 0; way < 12; way++)
    add(way * 4, way & 1, way & 2, way % 3, a, b);
  double sum = 0;
  for (int i = 0; i < N * N; i++)
    sum = sum * 1.01 + b[i / N][i % N];
  printf("%.17g\n", sum);
}
