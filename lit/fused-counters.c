// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// a * b + c of counters and constants, which LLVM may compute in one step or two: where a loop is unrolled LLVM does the
// multiplication itself, and rounds it. New code does it in one step wherever the target has such a step, as clang -O1 does.
//
// RUN: %clang -O2 -mfma -fpass-plugin=%plugin -mllvm -tessera-force -S -emit-llvm %s -o - | %FileCheck %s --check-prefixes=CHECK,FMA
// RUN: %clang -O2 -mno-fma -fpass-plugin=%plugin -mllvm -tessera-force -S -emit-llvm %s -o - | %FileCheck %s --check-prefixes=CHECK,NONE

// CHECK-LABEL: define {{.*}}@counted(
// FMA:         call {{.*}}@llvm.fma.{{.*}}f32(
// NONE-NOT:    call {{.*}}@llvm.fma.
// CHECK-LABEL: define {{.*}}@other(
// CHECK-NOT:   call {{.*}}@llvm.fma.
// CHECK:       call {{.*}}@llvm.fmuladd.{{.*}}f32(
// CHECK-NOT:   call {{.*}}@llvm.fma.
// CHECK:       attributes
void counted(int n, float a[restrict][64], float b[restrict][64])
{
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 64; c++)
      a[i][c] = (float)c * 0.3f + b[i][c];
}

void other(int n, float a[restrict][64], float b[restrict][64])
{
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 64; c++)
      a[i][c] = b[i][c] * 0.3f + b[i][c];
}
