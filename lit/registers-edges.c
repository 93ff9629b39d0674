// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Beside register tiles, in loops with few iterations, neighbours are short vectors: under a mask where vectors have 64
// bytes; else as many as are whole, then one by one.
//
// RUN: %source-ir %s -ffreestanding > %t.in.ll
// RUN: %tessera-opt -passes='tessera<force;machine=znver4;print=ast>,verify' %t.in.ll -o %t.ll 2> %t.ast
// RUN: %FileCheck %s --check-prefix=AST < %t.ast
// RUN: %FileCheck %s --check-prefixes=CHECK,WIDE < %t.ll
// RUN: %tessera-opt -passes='tessera<force;machine=haswell>,verify' %t.in.ll -o %t.ll
// RUN: %FileCheck %s --check-prefixes=CHECK,NARROW < %t.ll

// AST: // edges: S0 x8 by [0,1,0], S2 x8 by [0,1,0]
// CHECK-LABEL: @lu(
// WIDE: tsr.edge{{[0-9]*}}:
// WIDE: %tsr.mask{{[0-9]*}} = icmp sgt <8 x i64> {{.*}}, <i64 0, i64 1, {{.*}}, i64 7>
// WIDE: call <8 x double> @llvm.masked.load
// WIDE: call void @llvm.masked.store
// WIDE: add nsw i64 {{.*}}, 8
// WIDE: br i1 {{.*}}, label %tsr.edge{{.*}} !llvm.loop
// NARROW: [[WHOLE:tsr.edge[0-9]*]]:
// NARROW: call <4 x double> @llvm.fmuladd
// NARROW: store <4 x double>
// NARROW: br i1 {{.*}}, label %[[WHOLE]], label %[[BEHIND:.*]], !llvm.loop
// NARROW: [[ONE:tsr.edge[0-9]*]]:
// NARROW: call double @llvm.fmuladd
// NARROW: br i1 {{.*}}, label %[[ONE]]
void lu(int n, double (*restrict a)[1000])
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        a[i][j] -= a[i][k] * a[k][j];
      a[i][j] /= a[j][j];
    }
    for (int j = i; j < n; j++)
      for (int k = 0; k < i; k++)
        a[i][j] -= a[i][k] * a[k][j];
  }
}

// Of columns nothing is a vector, but there are few iterations, too.
// AST: tessera: cholesky.0
// AST: // edges{{$}}
// CHECK-LABEL: @cholesky(
void cholesky(int n, double (*restrict a)[1000])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
}
