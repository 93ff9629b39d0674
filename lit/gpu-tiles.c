// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernels(4, 4, 1): each thread has a tile of 4 x 4 sums in registers: 16 products for 8 loads in tiles that are all there. In
// others, of which there are three kinds, it adds up element by element, and LLVM doesn't unroll the loop: that takes registers, and
// ptxas can do it.
//
// RUN: rm -rf %t && %split-file %s %t
// DEFINE: %{compile} = %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-gpu -mllvm -tessera-only=product -S -emit-llvm %t/a.c
// RUN: %{compile} -mllvm -tessera-commands=%t/tiles -o %t/tiles.ll
// RUN: grep '^@tsr.ptx' %t/tiles.ll | %FileCheck %s

// CHECK-COUNT-16: mul.rn.f32
// CHECK: bra
// CHECK: mul.rn.f32
// CHECK: bra
// CHECK: mul.rn.f32
// CHECK: bra
// CHECK: mul.rn.f32
// CHECK-NOT: mul.rn.f32

//--- tiles
product:
  kernels(4, 4, 1)
//--- a.c
void product(int n, float C[restrict n][n], float A[restrict n][n], float B[restrict n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}
