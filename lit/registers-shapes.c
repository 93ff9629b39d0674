// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Register tiles of other shapes: several statements; a triangle, whose rows are skewed against the vectors; sums of indices as
// subscripts; columns as vectors, which are gathered.
//
// RUN: %source-ir %s -ffreestanding | %tessera-opt -passes='tessera<force;machine=znver4;print=ast>,verify' -o %t.ll 2> %t.ast
// RUN: %FileCheck %s --check-prefix=AST < %t.ast
// RUN: %FileCheck %s < %t.ll

// AST: tessera: two.0
// AST: // registers 6x4x8 over 1 by [0,1,0]
// AST: S0(
// AST: // registers 6x4x8 over 1 by [0,1,0]
// AST: S1(
// CHECK-LABEL: @two(
// CHECK: %tsr.held{{[0-9]*}} = phi <8 x double>
void two(int n, double (*restrict c)[1000], double (*restrict d)[1000], double (*restrict a)[1000], double (*restrict b)[1000])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        c[i][j] += a[i][k] * b[k][j];
        d[i][j] -= a[i][k] * b[k][j];
      }
}

// AST: tessera: triangle.0
// AST: // registers 6x4x8 over 1 by [0,1,0]
// CHECK-LABEL: @triangle(
// CHECK: %tsr.held{{[0-9]*}} = phi <8 x double>
void triangle(int n, double (*restrict c)[1000], double (*restrict a)[1000])
{
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[k][i] * a[k][j];
}

// Tiles at the right edge, at the diagonal, which lack points, and whole ones.
// AST: tessera: sums.0
// AST-COUNT-3: // registers 6x4x8 over 1 by [0,1,0]
// AST-NEXT: for (int [[K:c[0-9]+]] =
// AST-NEXT: for (int [[I:c[0-9]+]] = 0; [[I]] <= 5;
// AST-NEXT: for (int [[J:c[0-9]+]] = 0; [[J]] <= 31;
// AST-NEXT: S0({{.*}}, {{.*}} - [[I]] + [[J]], {{.*}})
// CHECK-LABEL: @sums(
// CHECK: %tsr.held{{[0-9]*}} = phi <8 x double>
void sums(int n, double (*restrict c)[2000], double (*restrict a)[2000])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][i + j] += a[k][i] * a[k][i + j];
}

// AST: tessera: columns.0
// AST: // registers 12x2x8 over 1 by [0,1,0]
// CHECK-LABEL: @columns(
// CHECK: %tsr.held{{[0-9]*}} = phi <8 x double>
// CHECK: call <8 x double> @llvm.masked.gather.v8f64.v8p0(
// CHECK: %tsr.held{{[0-9]*}} = phi <8 x double>
// CHECK-COUNT-8: insertelement <8 x double>
void columns(int n, int m, double (*restrict c)[1000], double (*restrict a)[1000])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < m; k++)
        c[i][j] += a[i][k] * a[j][k];
}
