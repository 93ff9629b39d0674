// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product of a matrix and a vector is computed in strips of 16 rows: rows of the matrix are loaded as vectors and
// transposed in registers, so that each sum still adds up in its order. Whatever else the loop over rows does is done for 16
// rows, too.
//
// RUN: %source-ir %s | %tessera-opt -passes='tessera<force;machine=znver4;only=product;print=ast>,verify' -o %t.ll 2> %t.ast
// RUN: %FileCheck %s --check-prefix=AST < %t.ast
// RUN: %FileCheck %s < %t.ll
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-machine=znver4 -mllvm -tessera-print=ast \
// RUN:   -Rpass=tessera -Rpass-missed=tessera -c %s -o /dev/null 2>&1 | %FileCheck %s --check-prefix=ALL

// AST: tessera: product.0
// AST: // registers 1x2x8 over 1 by [1,0] along [0,1]
// AST-NEXT: for (int [[J:c[0-9]+]] =
// AST-NEXT: for (int [[I:c[0-9]+]] = 0; [[I]] < {{.*}};
// AST-NEXT: S0(
// AST: // registers 1x2x8 over 1 by [1,0] along [0,1]
// AST-NEXT: for (int [[J]] =
// AST-NEXT: for (int [[I]] = 0; [[I]] <= 15;
// AST-NEXT: S0(

// Fewer rows: a vector at a time, masked; but rows are read without masks, where a lane is hidden, the last one again.
// CHECK-LABEL: define {{.*}}void @product(
// CHECK: tsr.tile:
// CHECK: call <8 x double> @llvm.masked.load.v8f64.p0(
// CHECK: tsr.block:
// CHECK-COUNT-8: load <8 x double>, ptr {{.*}}, align 8
// CHECK-COUNT-24: shufflevector <8 x double>
// CHECK-COUNT-8: call <8 x double> @llvm.fmuladd.v8f64(
// CHECK: call void @llvm.masked.store.v8f64.p0(

// Whole strips: 2 blocks of 8 x 8, then what is left: rows under a mask, and what other columns compute is dropped.
// CHECK: tsr.block{{[0-9]+}}:
// CHECK-COUNT-8: load <8 x double>, ptr {{.*}}, align 8
// CHECK-COUNT-24: shufflevector <8 x double>
// CHECK-COUNT-8: call <8 x double> @llvm.fmuladd.v8f64(
// CHECK-COUNT-8: load <8 x double>, ptr {{.*}}, align 8
// CHECK-COUNT-24: shufflevector <8 x double>
// CHECK-COUNT-8: call <8 x double> @llvm.fmuladd.v8f64(
// CHECK: br i1 {{.*}}!llvm.loop
// CHECK: tsr.one{{[0-9]+}}:
// CHECK: [[COLUMNS:%tsr.columns[0-9]*]] = icmp
// CHECK-COUNT-8: call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 {{.*}}, <8 x i1> [[COLUMNS]],
// CHECK-COUNT-24: shufflevector <8 x double>
// CHECK: call <8 x double> @llvm.fmuladd.v8f64(
// CHECK: select i1 {{.*}}, <8 x double>
// CHECK-COUNT-2: store <8 x double> {{.*}}, align 8
void product(int n, int m, double *restrict y, double (*restrict a)[1000], double *restrict x)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i] += a[i][j] * x[j];
}

// ALL: tessera: product.0
// ALL: // registers 1x2x8
// ALL: remark: loop nest transformed: {{.*}}register tiles of 1x2 vectors of 8

// The second product runs along the rows, which the first one has brought into the cache.
// ALL: tessera: and_transposed.0
// ALL: for (int [[STRIP:c[0-9]+]] = 0;
// ALL: // registers 1x2x8
// ALL: // registers 1x2x8
// ALL: S{{[0-9]}}(16 * [[STRIP]] + {{.*}});
// ALL: // vector
// ALL: remark: loop nest transformed
void and_transposed(int n, int m, double *restrict y, double *restrict z, double (*restrict a)[1000], double *restrict x)
{
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < m; j++)
      y[i] += a[i][j] * x[j];
    for (int j = 0; j < m; j++)
      z[j] += a[i][j] * y[i];
  }
}

// What comes before the strip is in registers; what comes with it is done behind, row by row.
// ALL: tessera: solve.0
// ALL: // registers 1x2x8
// ALL: remark: loop nest transformed
void solve(int n, double *restrict y, double (*restrict a)[1000], double *restrict x)
{
  for (int i = 0; i < n; i++) {
    y[i] = x[i];
    for (int j = 0; j < i; j++)
      y[i] -= a[i][j] * y[j];
    y[i] /= a[i][i];
  }
}

// Rows from below, columns from the right: lanes and columns run against memory.
// ALL: tessera: from_below.0
// ALL: // registers 1x2x8 over 1 by [-1,0] along [0,1]
// ALL: remark: loop nest transformed
void from_below(int n, double *restrict y, double (*restrict a)[1000], double *restrict x)
{
  for (int i = n - 1; i >= 0; i--) {
    y[i] = x[i];
    for (int j = n - 1; j > i; j--)
      y[i] -= a[i][j] * y[j];
    y[i] /= a[i][i];
  }
}

// Columns from each row's diagonal on: in a strip all rows are at one of them.
// ALL: tessera: in_place.0
// ALL: // registers 1x2x8 over 1 by [1,-1] along [0,1]
// ALL: remark: loop nest transformed
void in_place(int n, double *restrict y, double (*restrict a)[1000])
{
  for (int i = 0; i < n; i++) {
    y[i] *= a[i][i];
    for (int j = i + 1; j < n; j++)
      y[i] += a[i][j] * y[j];
  }
}

// What is added up can't be in y, whose old values are still needed: it gets an array, as it has an element for each row.
// ALL: tessera: scaled.0.expanded
// ALL: // registers 1x2x8 over 1 by [1,0] along [0,1]
// ALL: remark: loop nest transformed
void scaled(int n, int m, double *restrict y, double (*restrict a)[1000], double *restrict x)
{
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < m; j++)
      s += a[i][j] * x[j];
    y[i] = 3 * s + 2 * y[i];
  }
}

// Half of a symmetric matrix: sums of rows go on at once, sums of columns, which are next to each other, behind them.
// ALL: tessera: symmetric.0.expanded
// ALL: // vector
// ALL: // registers 1x2x8 over 1 by [1,0] along [0,1]
// ALL: remark: loop nest transformed
void symmetric(int n, double *restrict y, double (*restrict a)[1000], double *restrict x)
{
  for (int i = 0; i < n; i++) {
    double t = 3 * x[i], s = 0;
    y[i] += t * a[i][i];
    for (int j = i + 1; j < n; j++) {
      y[j] += t * a[i][j];
      s += a[i][j] * x[j];
    }
    y[i] += 3 * s;
  }
}

// Integers add up in any order: that is left to LLVM's own vectoriser.
// ALL: tessera: ints.0
// ALL-NOT: // registers
// ALL: remark: loop nest left as it is: the estimated cost is not lower
void ints(int n, int m, int *restrict y, int (*restrict a)[1000], int *restrict x)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i] += a[i][j] * x[j];
}

// Each sum waits for the row before.
// ALL: tessera: carried.0
// ALL-NOT: // registers
// ALL: remark: loop nest left as it is: the estimated cost is not lower
void carried(int n, int m, double *restrict y, double (*restrict a)[1000], double *restrict x)
{
  for (int i = 1; i < n; i++) {
    y[i] += y[i - 1];
    for (int j = 0; j < m; j++)
      y[i] += a[i][j] * x[j];
  }
}
