// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is dumped can be replayed with the tool: it interprets original and transformed order and compares memory.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-dump=%t -c %s -o %t.o
// RUN: %tessera --until=run %t/gemm.0.scop | %FileCheck %s
// RUN: %tessera --until=run --force --tile-sizes=4 %t/solve.0.scop | %FileCheck %s
// RUN: %tessera --compare=%t/gemm.0.scop %t/gemm.0.scop
// RUN: %tessera --print=text --until=dependences %t/gemm.0.scop > %t/again.scop
// RUN: %tessera --compare=%t/gemm.0.scop %t/again.scop
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-dump=%t/nowhere -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=NOWHERE

// CHECK: same memory at {{[1-9]}}
// NOWHERE: tessera: can't write {{.*}}gemm.0.scop: does the folder exist?

__attribute__((noinline)) void gemm(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void solve(double *restrict x, double c[100][100], const double *restrict y)
{
  for (int i = 0; i < 100; i++) {
    x[i] = y[i];
    for (int j = 0; j < i; j++)
      x[i] -= c[i][j] * x[j];
    x[i] /= c[i][i];
  }
}
