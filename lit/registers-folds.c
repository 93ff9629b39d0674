// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any fold has register tiles: products, minima and maxima by comparison and by intrinsic, differences, Horner's rule.
//
// RUN: %source-ir %s | %tessera-opt -passes='tessera<force;machine=znver4>,verify' | %FileCheck %s

#define FOLD(NAME, T, VALUE)                                                                                                   \
  void NAME(int n, T (*restrict c)[1000], T (*restrict a)[1000], T (*restrict b)[1000])                                       \
  {                                                                                                                            \
    for (int i = 0; i < n; i++)                                                                                                \
      for (int j = 0; j < n; j++)                                                                                              \
        for (int k = 0; k < n; k++) {                                                                                          \
          T old = c[i][j], x = a[i][k], y = b[k][j];                                                                           \
          c[i][j] = VALUE;                                                                                                     \
        }                                                                                                                      \
  }

// CHECK-LABEL: @multiply(
// CHECK: %tsr.held{{[0-9]*}} = phi <16 x i32>
// CHECK: mul {{.*}}<16 x i32>
FOLD(multiply, unsigned, old *(x + y))

// CHECK-LABEL: @least(
// CHECK: %tsr.held{{[0-9]*}} = phi <8 x double>
// CHECK: fcmp olt <8 x double>
// CHECK: select <8 x i1>
FOLD(least, double, x + y < old ? x + y : old)

// CHECK-LABEL: @least_integer(
// CHECK: %tsr.held{{[0-9]*}} = phi <16 x i32>
// CHECK: {{call <16 x i32> @llvm.smin.v16i32|select <16 x i1>}}
FOLD(least_integer, int, x + y < old ? x + y : old)

// CHECK-LABEL: @greatest(
// CHECK: %tsr.held{{[0-9]*}} = phi <8 x double>
// CHECK: call {{.*}}<8 x double> @llvm.max{{.*}}.v8f64(
FOLD(greatest, double, __builtin_fmax(old, x *y))

// CHECK-LABEL: @subtract(
// CHECK: %tsr.held{{[0-9]*}} = phi <8 x double>
// CHECK: call <8 x double> @llvm.fmuladd.v8f64(
FOLD(subtract, double, old - x * y)

// CHECK-LABEL: @horner(
// CHECK: %tsr.held{{[0-9]*}} = phi <8 x double>
// CHECK: call <8 x double> @llvm.fmuladd.v8f64(
FOLD(horner, double, old *x + y)

// CHECK-LABEL: @bits(
// CHECK: %tsr.held{{[0-9]*}} = phi <16 x i32>
// CHECK: xor <16 x i32>
FOLD(bits, unsigned, old ^ (x & y))
