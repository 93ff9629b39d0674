// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neither names of values, which clang only gives in debug builds, nor debug information change what is decided.
//
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-print=ast -c %s -o %t.1.o 2> %t.1
// RUN: %clang -O2 -fno-discard-value-names -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-print=ast -c %s \
// RUN:   -o %t.2.o 2> %t.2
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-print=ast -c %s -o %t.3.o 2> %t.3
// RUN: sed -i -E -e 's/\b[A-Za-z_.]+_([0-9]+)\b/p_\1/g' %t.1 %t.2 %t.3
// RUN: diff %t.1 %t.2
// RUN: diff %t.1 %t.3
// RUN: cmp %t.1.o %t.2.o

void gemm(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
