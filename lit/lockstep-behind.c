// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum of an inner loop is used behind it: its last value passes a phi of one entry, in lanes like all else. What is
// updated in the same loop goes to register tiles. With constant sizes one of these is alone in its part of the tree, where
// isl writes its times as constants: the others' hold for it, too.
//
// DEFINE: %{options} = -march=x86-64-v4 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-expand=never
// RUN: %clang -O3 %{options} -mllvm -tessera-only='any|constant' -mllvm -tessera-print=ast -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o /dev/null 2>&1 | %FileCheck %s
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-expand=never -mllvm -tessera-force %s -o %t && %t > %t.out && diff %t.expected %t.out

// CHECK: tessera: any.0
// CHECK: // lockstep {{[12]}}x8
// CHECK: // registers 6x4x8
// CHECK: lockstep-behind.c:[[#@LINE+14]]:3: remark: loop nest transformed: {{.*}} register tiles {{.*}} 1 outer loop in lanes of {{[12]}}x8
// CHECK: tessera: constant.0
// CHECK: // lockstep {{[12]}}x8
// CHECK: // registers 6x4x8
// CHECK: lockstep-behind.c:[[#@LINE+24]]:3: remark: loop nest transformed: {{.*}} register tiles {{.*}} 1 outer loop in lanes of {{[12]}}x8

#include <stdio.h>
#include <stdlib.h>

enum { M = 1000, N = 70 };

__attribute__((noinline)) void any(int m, int n, double alpha, double beta, double c[m][n], double a[m][m], double b[m][n])
{
  double sum;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      sum = 0;
      for (int k = 0; k < i; k++) {
        c[k][j] += alpha * b[i][j] * a[i][k];
        sum += b[k][j] * a[i][k];
      }
      c[i][j] = beta * c[i][j] + alpha * b[i][j] * a[i][i] + alpha * sum;
    }
}

__attribute__((noinline)) void constant(double alpha, double beta, double c[M][N], double a[M][M], double b[M][N])
{
  double sum;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      sum = 0;
      for (int k = 0; k < i; k++) {
        c[k][j] += alpha * b[i][j] * a[i][k];
        sum += b[k][j] * a[i][k];
      }
      c[i][j] = beta * c[i][j] + alpha * b[i][j] * a[i][i] + alpha * sum;
    }
}

static double x[M * M], y[M * N], z[M * N];

static void fill(void)
{
  for (int i = 0; i < M * M; i++)
    x[i] = i % 13 * 0.25 - 1.5;
  for (int i = 0; i < M * N; i++)
    y[i] = i % 17 * 0.125 - 1, z[i] = i % 7;
}

static void show(int m, int n)
{
  unsigned long sum = 0, bits;
  for (int i = 0; i < M * N; i++) {
    __builtin_memcpy(&bits, &z[i], sizeof(bits));
    sum = sum * 31 + bits;
  }
  printf("%d %d %lx\n", m, n, sum);
}

int main(void)
{
  static const int size[] = {0, 1, 2, 5, 6, 7, 15, 16, 17, 33, 67};
  for (int i = 0; i < 11; i++)
    for (int j = 0; j < 11; j++) {
      fill();
      any(size[i], size[j], 1.5, 0.5, (void *)z, (void *)x, (void *)y);
      show(size[i], size[j]);
    }
  fill();
  any(521, 65, 1.5, 0.5, (void *)z, (void *)x, (void *)y);
  show(521, 65);
  fill();
  constant(1.5, 0.5, (void *)z, (void *)x, (void *)y);
  show(M, N);
  return 0;
}
