// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A is stored by columns: a register tile's rows are neighbours in memory, the steps of the reduction are rows of A apart.
// They are packed in blocks of 16 steps; all rows of a whole tile are there, so that no loop is left of them.
//
// DEFINE: %{options} = -march=x86-64-v4 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force
// RUN: %source-ir %s -march=x86-64-v4 | %tessera-opt -passes='tessera<force;only=columns>' -S | %FileCheck %s
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out && diff %t.expected %t.out

// CHECK-LABEL: define {{.*}}@columns(
// CHECK:       tsr.copies{{[0-9]*}}:
// CHECK:       add nsw i64 %tsr.c{{[0-9]*}}, 15
// CHECK:       tsr.rows{{[0-9]*}}:
// CHECK:       tsr.part{{[0-9]*}}:
// CHECK-COUNT-6: load double,

#include <stdio.h>

__attribute__((noinline)) void columns(int m, int n, int l, double c[restrict m][n], double a[restrict l][m], double b[restrict l][n])
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < l; k++)
        c[i][j] += 3 * a[k][i] * b[k][j];
}

/* More rows in whole tiles than elements in a column of the last one. */
__attribute__((noinline)) void upper(int m, int n, int l, float c[restrict m][n], float a[restrict l][m], float b[restrict l][n])
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = i; k < l; k++)
        c[i][j] += a[k][i] * b[k][j];
}

static double x[600 * 160], y[600 * 160], z[160 * 160];
static float u[600 * 160], v[600 * 160], w[160 * 160];

static void run(int m, int n, int l)
{
  double sum = 0;
  for (int i = 0; i < 600 * 160; i++) {
    x[i] = i % 13 - 6, y[i] = i % 17 - 8;
    u[i] = i % 5 - 2, v[i] = i % 7 - 3;
  }
  for (int i = 0; i < 160 * 160; i++)
    z[i] = i % 3, w[i] = i % 3;
  columns(m, n, l, (void *)z, (void *)x, (void *)y);
  upper(m, n, l, (void *)w, (void *)u, (void *)v);
  for (int i = 0; i < 160 * 160; i++)
    sum = 1.5 * sum + z[i] - 2 * w[i], sum -= (double)(long)(sum / 1024) * 1024;
  printf("%d %d %d %a\n", m, n, l, sum);
}

int main(void)
{
  static const int size[] = {0, 1, 5, 6, 7, 12, 31, 32, 33, 127, 149};
  for (int i = 0; i < 11; i++)
    for (int k = 0; k < 11; k++) {
      run(size[i], size[(i + k) % 11], size[k]);
      if (k % 4 == 0)
        run(size[i], size[k], 505 + i);
    }
  run(149, 65, 513);
  return 0;
}
