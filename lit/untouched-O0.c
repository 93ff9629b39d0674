// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// At -O0 nothing is done, not even when forced.
//
// RUN: %clang -O0 -g -c %s -o %t.plain.o
// RUN: %clang -O0 -g -fpass-plugin=%plugin -mllvm -tessera-force -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %count 0
// RUN: cmp %t.plain.o %t.o
// RUN: %source-ir %s | %tessera-opt -tessera-force -passes='default<O0>' | %FileCheck %s
// RUN: %source-ir %s | %tessera-opt -tessera-force -passes='default<O1>' | %FileCheck %s --check-prefix=AT-O1

// CHECK: define {{.*}}@gemm(
// CHECK-NOT: tsr.new
// AT-O1: tsr.new

void gemm(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
