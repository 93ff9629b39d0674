// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fused multiply-add that clang leaves to the target stays one, and none is made of a product and a sum.
//
// RUN: %source-ir %s -ffp-contract=on | %tessera-opt -passes='tessera<force>' | %FileCheck %s --check-prefixes=CHECK,ON
// RUN: %source-ir %s -ffp-contract=off | %tessera-opt -passes='tessera<force>' | %FileCheck %s --check-prefixes=CHECK,OFF

// CHECK-LABEL: define {{.*}}@gemm(
// CHECK: tsr.loop
// ON-NOT: {{= (fmul|fadd) }}
// ON: call <2 x double> @llvm.fmuladd.v2f64(
// ON-NOT: {{= (fmul|fadd) }}
// ON: call double @llvm.fmuladd.f64(
// ON-NOT: {{= (fmul|fadd) }}
// OFF-NOT: fmuladd
// OFF: fmul <2 x double>
// OFF-NOT: fmuladd
// OFF: fadd <2 x double>
// OFF-NOT: fmuladd
// OFF: fmul double
// OFF-NOT: fmuladd
// OFF: fadd double
// OFF-NOT: fmuladd

void gemm(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
