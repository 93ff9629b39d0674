// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix product is computed in tiles of 6 rows of 4 vectors, which stay in registers while the loop over k runs.
//
// RUN: %source-ir %s -ffreestanding | %tessera-opt -passes='tessera<force;machine=znver4;print=ast>,verify' -o %t.ll 2> %t.ast
// RUN: %FileCheck %s --check-prefix=AST < %t.ast
// RUN: %FileCheck %s < %t.ll

// AST: tessera: gemm.0
// AST: // registers 6x4x8 over 1 by [0,1,0]
// AST-NEXT: for (int [[K:c[0-9]+]] =
// AST-NEXT: for (int [[I:c[0-9]+]] = 0; [[I]] <= 5;
// AST-NEXT: for (int [[J:c[0-9]+]] = 0; [[J]] <
// AST: // registers 6x4x8 over 1 by [0,1,0]
// AST-NEXT: for (int [[K]] =
// AST-NEXT: for (int [[I]] = 0; [[I]] <= 5;
// AST-NEXT: for (int [[J]] = 0; [[J]] <= 31;
// AST-NEXT: S0(

// First tiles with fewer columns, vector by vector, masked.
// CHECK-LABEL: define {{.*}}void @gemm(
// CHECK: tsr.tile:
// CHECK-COUNT-6: %tsr.mask{{[0-9]*}} = and <8 x i1>
// CHECK-COUNT-6: call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 {{.*}}, <8 x i1> %tsr.mask
// CHECK-COUNT-6: %tsr.held{{[0-9]*}} = phi <8 x double>
// CHECK-COUNT-6: call <8 x double> @llvm.fmuladd.v8f64(
// CHECK: br i1 {{.*}}!llvm.loop
// CHECK-COUNT-6: call void @llvm.masked.store.v8f64.p0(<8 x double> {{.*}}, ptr align 8 {{.*}}, <8 x i1> %tsr.mask

// Then whole ones: in the loop there are loads of B and of A, nothing else in memory.
// CHECK: tsr.tile{{[0-9]+}}:
// CHECK-COUNT-24: load <8 x double>, ptr {{.*}}, align 8
// CHECK-COUNT-24: call void @llvm.prefetch.p0(ptr {{.*}}, i32 1, i32 3, i32 1)
// CHECK-COUNT-24: %tsr.held{{[0-9]*}} = phi <8 x double>
// CHECK-NOT: {{store|br }}
// CHECK-COUNT-24: call <8 x double> @llvm.fmuladd.v8f64(
// CHECK-NOT: {{store|call|load}}
// CHECK: br i1 {{.*}}!llvm.loop
// CHECK-COUNT-24: store <8 x double> {{.*}}, align 8

void gemm(int n, int m, int l, double (*restrict c)[1000], double (*restrict a)[1000], double (*restrict b)[1000])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++)
        c[i][j] += a[i][k] * b[k][j];
}
