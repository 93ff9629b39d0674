// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each thread has a tile of 4 x 4 sums in registers: 16 products for 8 loads in tiles that are all there. In others, of which there
// are three kinds, it adds up element by element, and LLVM doesn't unroll the loop: that takes registers, and ptxas can do it.
//
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-gpu -mllvm -tessera-only=product -S -emit-llvm %s -o %t.ll
// RUN: grep '^@tsr.ptx' %t.ll | %FileCheck %s

// CHECK-COUNT-16: mul.rn.f32
// CHECK: bra
// CHECK: mul.rn.f32
// CHECK: bra
// CHECK: mul.rn.f32
// CHECK: bra
// CHECK: mul.rn.f32
// CHECK-NOT: mul.rn.f32
void product(int n, float C[restrict n][n], float A[restrict n][n], float B[restrict n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}
