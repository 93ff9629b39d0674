// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -tessera-help prints the table, once.
//
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-help -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-help -mllvm -tessera-position=both -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -fpass-plugin=%plugin -fpass-plugin=%plugin -mllvm -tessera-help -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: env TESSERA_OPTIONS=help %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %tessera --help | %FileCheck %s

// CHECK: off do nothing
// CHECK: parallel allow thread-parallel loops
// CHECK: tile-sizes=positive integers
// CHECK: position=early|late|both {{.*}}(default: early)
// CHECK: expand=pays|never|always {{.*}}(default: pays)
// CHECK-NOT: do nothing

void gemm(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
