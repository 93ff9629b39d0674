// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A vector has as many lanes as the widest number on the way needs: 16 of floats and ints, 8 where a double or long takes part,
// 64 of bytes; conversions are made lane by lane. (Packed operands are converted when they are packed: not here.)
//
// RUN: %source-ir %s -ffreestanding | %tessera-opt -passes='tessera<force;machine=znver4>,verify' | %FileCheck %s

#define PRODUCT(NAME, TC, TA, TB)                                                                                              \
  void NAME(int n, TC (*restrict c)[1000], TA (*restrict a)[1000], TB (*restrict b)[1000])                                    \
  {                                                                                                                            \
    for (int i = 0; i < n; i++)                                                                                                \
      for (int j = 0; j < n; j++)                                                                                              \
        for (int k = 0; k < n; k++)                                                                                            \
          c[i][j] += a[i][k] * b[k][j];                                                                                        \
  }

// CHECK-LABEL: @floats(
// CHECK: %tsr.held{{[0-9]*}} = phi <16 x float>
// CHECK: call <16 x float> @llvm.fmuladd.v16f32(
PRODUCT(floats, float, float, float)

// CHECK-LABEL: @ints(
// CHECK: %tsr.held{{[0-9]*}} = phi <16 x i32>
// CHECK: mul nsw <16 x i32>
// CHECK: add nsw <16 x i32>
PRODUCT(ints, int, int, int)

// CHECK-LABEL: @longs_of_ints(
// CHECK: %tsr.held{{[0-9]*}} = phi <8 x i64>
// CHECK: load <8 x i32>
// CHECK: sext <8 x i32> {{.*}} to <8 x i64>
// CHECK: mul nsw <8 x i64>
PRODUCT(longs_of_ints, long, long, int)

// CHECK-LABEL: @ints_of_bytes(
// CHECK: %tsr.held{{[0-9]*}} = phi <16 x i32>
// CHECK: load <16 x i8>
// CHECK: zext <16 x i8> {{.*}} to <16 x i32>
PRODUCT(ints_of_bytes, int, unsigned char, unsigned char)

// CHECK-LABEL: @shorts(
// CHECK: %tsr.held{{[0-9]*}} = phi <{{16|32}} x i16>
PRODUCT(shorts, short, short, short)

// CHECK-LABEL: @floats_of_doubles(
// CHECK: %tsr.held{{[0-9]*}} = phi <8 x float>
// CHECK: fpext <8 x float> {{.*}} to <8 x double>
// CHECK: call <8 x double> @llvm.fmuladd.v8f64(
// CHECK: fptrunc <8 x double> {{.*}} to <8 x float>
PRODUCT(floats_of_doubles, float, double, float)

// CHECK-LABEL: @doubles_of_ints(
// CHECK: %tsr.held{{[0-9]*}} = phi <8 x double>
// CHECK: sitofp <8 x i32> {{.*}} to <8 x double>
PRODUCT(doubles_of_ints, double, double, int)
