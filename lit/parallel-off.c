// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Without the option no thread is started.
//
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -S -emit-llvm %s -o - \
// RUN:   | %FileCheck %s --check-prefix=ON

// CHECK: define {{.*}}@gemm
// CHECK-NOT: GOMP
// CHECK-NOT: omp_
// ON: call void @GOMP_parallel

void gemm(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
