// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Behind the last whole tile there are fewer rows: they keep their elements in registers, too, one row at a time.
//
// DEFINE: %{options} = -march=x86-64-v4 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-print=ast
// RUN: %clang -O2 %{options} -c %s -o /dev/null 2>&1 | %FileCheck %s
// RUN: %source-ir %s -march=x86-64-v4 | %tessera-opt -passes='tessera<force;only=any>' -S | %FileCheck %s --check-prefix=IR
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out && diff %t.expected %t.out

// CHECK: tessera: any.0
// CHECK:      // registers 6x4x8 over 1
// CHECK:      // registers 6x4x8 over 1
// CHECK:      // registers 6x4x8 over 1
// CHECK-NEXT: for (int {{c[0-9]+}} = 0;
// CHECK-NEXT: for (int {{c[0-9]+}} = 0; {{c[0-9]+}} < p_0
// CHECK-NEXT: for (int {{c[0-9]+}} = 0; {{c[0-9]+}} <= 31;

// One row is left: there is no loop over it.
// CHECK: tessera: thirteen.0
// CHECK: // registers 6x4x8 over 1
// CHECK: // registers 6x4x8 over 1
// CHECK-NEXT: for (int {{c[0-9]+}} = 0; {{c[0-9]+}} <= 63;
// CHECK-NEXT: for (int {{c[0-9]+}} = 0; {{c[0-9]+}} <= 31;
// CHECK-NEXT: S0(12,

// IR:           tsr.row{{[0-9]*}}:
// IR-COUNT-4:   load <8 x double>
// IR-COUNT-4:   phi <8 x double>
// IR-COUNT-4:   call <8 x double> @llvm.fmuladd.v8f64
// IR:           br i1 {{.*}}!llvm.loop
// IR-COUNT-4:   store <8 x double>

#include <stdio.h>

__attribute__((noinline)) void any(int m, int n, int l, double c[restrict m][n], double a[restrict m][l], double b[restrict l][n])
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < l; k++)
        c[i][j] += a[i][k] * b[k][j];
}

__attribute__((noinline)) void thirteen(double c[restrict 13][64], double a[restrict 13][64], double b[restrict 64][64])
{
  for (int i = 0; i < 13; i++)
    for (int j = 0; j < 64; j++)
      for (int k = 0; k < 64; k++)
        c[i][j] += a[i][k] * b[k][j];
}

/* The rows that there are depend on k. */
__attribute__((noinline)) void lower(int m, int n, int l, double c[restrict m][n], double a[restrict m][l], double b[restrict l][n])
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < l && k <= i; k++)
        c[i][j] += a[i][k] * b[k][j];
}

static double x[128 * 128], y[128 * 128], z[128 * 128];

static void fill(void)
{
  for (int i = 0; i < 128 * 128; i++) {
    x[i] = i % 7;
    y[i] = i % 11 * 0.1;
    z[i] = i % 13 * 0.3;
  }
}

static void show(const char *name, int m, int n, int l)
{
  double sum = 0;
  for (int i = 0; i < 128 * 128; i++)
    sum += x[i] * (i % 17 + 1);
  printf("%s %d %d %d: %a\n", name, m, n, l, sum);
}

int main(void)
{
  static const int columns[] = {31, 32, 33, 64, 71}, depths[] = {0, 1, 8, 65};
  for (int m = 0; m < 20; m++)
    for (int j = 0; j < 5; j++)
      for (int k = 0; k < 4; k++) {
        int n = columns[j], l = depths[k];
        fill();
        any(m, n, l, (void *)x, (void *)y, (void *)z);
        show("any", m, n, l);
        fill();
        lower(m, n, l, (void *)x, (void *)y, (void *)z);
        show("lower", m, n, l);
      }
  fill();
  thirteen((void *)x, (void *)y, (void *)z);
  show("thirteen", 13, 64, 64);
  return 0;
}
