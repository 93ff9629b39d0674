// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where products and sums may be fused (-ffp-contract=fast, flang's default), they are on a GPU if the host's code has such an
// instruction, so that both give the same.
//
// RUN: %clang -O2 -ffp-contract=fast -mno-fma -fpass-plugin=%plugin -mllvm -tessera-gpu -mllvm -tessera-force -mllvm -tessera-only=update -S -emit-llvm %s -o %t.ll
// RUN: grep '^@tsr.ptx' %t.ll | %FileCheck %s --check-prefix=APART
// RUN: %clang -O2 -ffp-contract=fast -mfma -fpass-plugin=%plugin -mllvm -tessera-gpu -mllvm -tessera-force -mllvm -tessera-only=update -S -emit-llvm %s -o %t.ll
// RUN: grep '^@tsr.ptx' %t.ll | %FileCheck %s --check-prefix=FUSED

// APART-NOT: fma.rn
// APART: mul.rn.f64
// APART-NOT: fma.rn
// APART: add.rn.f64
// APART-NOT: fma.rn

// FUSED-NOT: mul.rn.f64
// FUSED: fma.rn.f64
// FUSED-NOT: mul.rn.f64
void update(int n, double *restrict x, const double *restrict y)
{
  for (int i = 0; i < n; i++)
    x[i] += y[i] * 1.25;
}
