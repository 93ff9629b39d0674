// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a block share what they read of a product's operands, 16 steps at a time: 16 * 132 floats of A, transposed, its rows 16
// bytes longer so that stores go to different banks, and 16 * 128 of B. In a step each loads 8 of each, 4 at a time, and adds up 64
// products in registers, without branches, be they all there or not; in between are two barriers. Nothing is in an array of a
// thread's own. kernels(rows, columns, steps) sets other sizes.
//
// RUN: rm -rf %t && %split-file %s %t
// DEFINE: %{compile} = %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-gpu -mllvm -tessera-only=product -S -emit-llvm %t/a.c
// RUN: %{compile} -o %t/a.ll
// RUN: grep '^@tsr.ptx' %t/a.ll | sed 's/\\0A/\n/g; s/\\09/ /g' > %t/a.ptx
// RUN: %FileCheck %s --implicit-check-not=.local --input-file=%t/a.ptx
// RUN: %{compile} -mllvm -tessera-commands=%t/small -o %t/small.ll
// RUN: grep '^@tsr.ptx' %t/small.ll | %FileCheck %s --check-prefix=SMALL
// RUN: %{compile} -mllvm -tessera-commands=%t/small -mllvm -tessera-print=tree -o /dev/null 2>&1 | %FileCheck %s --check-prefix=TREE

// CHECK: .maxntid 256
// CHECK-DAG: .shared .align 16 .b8 {{.*}}[8448];
// CHECK-DAG: .shared .align 16 .b8 {{.*}}[8192];
// CHECK: bar.sync
// CHECK: st.shared.b32
// CHECK: bar.sync
// CHECK: ld.shared.v4.b32
// CHECK-COUNT-32: mul.rn.f32
// CHECK: ld.shared.v4.b32
// CHECK-COUNT-32: mul.rn.f32

// SMALL-DAG: .shared .align 16 .b8 {{[a-zA-Z0-9_$]*}}[1152]
// SMALL-DAG: .shared .align 16 .b8 {{[a-zA-Z0-9_$]*}}[512]

// TREE: mark: "kernel 2 of 16x16"
// TREE: mark: "allocate A_2_private"
// TREE: mark: "threads 2 of 16x16"
// TREE: mark: "unroll 1 of 2"
// TREE: mark: "allocate A_{{[01]}}_shared"
// TREE: mark: "threads 2 of 16x16"
// TREE: mark: "allocate A_{{[01]}}_shared"
// TREE: mark: "threads 2 of 16x16"
// TREE: mark: "threads 2 of 16x16"
// TREE: mark: "unroll 1 of 2 free"
// TREE: mark: "threads 2 of 16x16"

//--- small
product:
  kernels(2, 1, 8)
//--- a.c
void product(int n, float C[restrict n][n], float A[restrict n][n], float B[restrict n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}
