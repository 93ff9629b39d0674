// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recurrence in each row: 8 rows are the lanes of a vector, which holds what one iteration passes on to the next. Rows are
// loaded as vectors and transposed in registers, 8 iterations at a time; what is stored is transposed, too.
//
// RUN: %source-ir %s | %tessera-opt -passes='tessera<force;machine=znver4;only=filter|rows|columns;print=ast>,verify' -o %t.ll 2> %t.ast
// RUN: %FileCheck %s --check-prefix=AST < %t.ast
// RUN: %FileCheck %s < %t.ll
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-machine=znver4 -Rpass=tessera -Rpass-missed=tessera -g1 \
// RUN:   -c %s -o /dev/null 2>&1 | %FileCheck %s --check-prefix=REMARK

// Whole tiles of 8 rows, then what is left, row by row.
// AST: tessera: filter.0
// AST: for (int [[T:c[0-9]+]] = 0;
// AST-NEXT: // lockstep 1x8
// AST-NEXT: for (int [[I:c[0-9]+]] = 0; [[I]] <= 7; [[I]] += 1) {
// AST-NEXT: S0(8 * [[T]] + [[I]]);
// AST-NEXT: for (int [[J:c[0-9]+]] = 0;
// AST-NEXT: S1(8 * [[T]] + [[I]], [[J]]);
// AST-NEXT: }
// AST: for (int [[T]] = max(0, [[N:.*]] - 7); [[T]] < [[N]];
// AST-NEXT: if (
// AST-NEXT: S0([[T]]);

// CHECK-LABEL: define {{.*}}void @filter(
// CHECK: tsr.block{{[0-9]*}}:
// CHECK-DAG: phi i64
// CHECK-DAG: phi <8 x double>
// CHECK-COUNT-8: load <8 x double>, ptr {{.*}}, align 8
// CHECK-COUNT-24: shufflevector <8 x double>
// CHECK-COUNT-8: call <8 x double> @llvm.fmuladd.v8f64(
// CHECK-COUNT-24: shufflevector <8 x double>
// CHECK-COUNT-8: store <8 x double> {{.*}}, align 8
// CHECK: br i1 {{.*}}!llvm.loop
void filter(int n, int m, double (*restrict a)[1000], double (*restrict b)[1000], double k)
{
  for (int i = 0; i < n; i++) {
    double u = 0;
    for (int j = 0; j < m; j++)
      a[i][j] = u = k * u + b[i][j];
  }
}

// The element before comes from a register: it is loaded in front of the loop alone.
// CHECK-LABEL: define {{.*}}void @rows(
// CHECK: tsr.lanes{{[0-9]*}}:
// CHECK-COUNT-8: insertelement <8 x double>
// CHECK: tsr.block{{[0-9]*}}:
// CHECK: [[OLD:%.*]] = phi <8 x double>
// CHECK-COUNT-8: load <8 x double>, ptr {{.*}}, align 8
// CHECK-NOT: load
// CHECK: fdiv <8 x double> [[OLD]],
// CHECK-NOT: load
// CHECK-COUNT-8: store <8 x double>
// CHECK: br i1 {{.*}}!llvm.loop
// REMARK: lockstep.c:[[#@LINE+3]]:3: remark: loop nest transformed: {{.*}} 1 outer loop in lanes of 1x8;
void rows(int n, int m, double (*restrict a)[1000], double (*restrict b)[1000])
{
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m; j++)
      a[i][j] = a[i][j - 1] / (b[i][j] + 1.0);
}

// Columns are neighbours: no block is transposed for them. Rows further down are asked for in time, without a promise that
// there are any.
// CHECK-LABEL: define {{.*}}void @columns(
// CHECK: tsr.block{{[0-9]*}}:
// CHECK-COUNT-8: load <8 x double>, ptr {{.*}}, align 8
// CHECK-COUNT-24: shufflevector <8 x double>
// CHECK: [[NEXT:%.*]] = getelementptr [1000 x double], ptr
// CHECK: call void @llvm.prefetch.p0(ptr {{.*}}, i32 1, i32 3, i32 1)
// CHECK: [[NEW:%.*]] = fdiv <8 x double>
// CHECK: store <8 x double> [[NEW]], ptr
// CHECK-NOT: shufflevector
// CHECK: br i1 {{.*}}!llvm.loop
// REMARK: lockstep.c:[[#@LINE+3]]:3: remark: loop nest transformed: {{.*}} 1 outer loop in lanes of 1x8;
void columns(int n, int m, double (*restrict a)[1000], double (*restrict b)[1000])
{
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m; j++)
      a[j][i] = a[j - 1][i] / (b[i][j] + 1.0);
}

// What is added up in each column alone: the loop over columns may as well run innermost.
// REMARK: lockstep.c:[[#@LINE+4]]:3: remark: loop nest transformed
// REMARK-NOT: in lanes
void sums(int n, int m, double *restrict s, double (*restrict a)[1000])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      s[i] += a[j][i];
}

// Integers add up in any order: LLVM's own vectoriser does that along the rows.
// REMARK: lockstep.c:[[#@LINE+4]]:3: remark: loop nest left
// REMARK-NOT: in lanes
void ints(int n, int m, int *restrict y, int (*restrict a)[1000], int *restrict x)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i] += a[i][j] * x[j];
}
