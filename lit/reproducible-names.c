// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neither names of values, which clang only gives in debug builds, nor debug information change what is decided.
//
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -c %s -o %t.1.o
// RUN: %clang -O2 -fno-discard-value-names -fpass-plugin=%plugin -mllvm -tessera-force -c %s -o %t.2.o
// RUN: cmp %t.1.o %t.2.o
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-force -c %s -o %t.3.o
// RUN: %llvm-objdump -d %t.1.o | sed -e 1,2d > %t.1
// RUN: %llvm-objdump -d %t.3.o | sed -e 1,2d > %t.3
// RUN: diff %t.1 %t.3

void gemm(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
