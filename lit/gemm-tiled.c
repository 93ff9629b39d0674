// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix product is tiled in three dimensions, with an independent innermost loop, and computes the same.
//
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=gemm -mllvm -tessera-print=ast \
// RUN:   -mllvm -tessera-tile-sizes=16,8,4 -c -o /dev/null %s 2>&1 | %FileCheck %s --check-prefix=AST
// RUN: %source-ir %s | %tessera-opt -passes='tessera<force;only=gemm;tile-sizes=32>,verify' | %FileCheck %s --check-prefix=IR
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out

// AST: tessera: gemm.0
// AST: for (int [[TI:c[0-9]+]] = 0; {{.*[/,] 16\)?}};
// AST: for (int [[TJ:c[0-9]+]] = 0; {{.*[/,] 8\)?}};
// AST: for (int [[TK:c[0-9]+]] = 0; {{.*[/,] 4\)?}};
// AST: for (int
// AST: for (int
// AST: // vector
// AST-NEXT: for (int
// AST-NEXT: S0(16 * [[TI]] +

// The original stays, guarded by a check for overlap.
// IR-LABEL: define {{.*}}void @gemm(
// IR: br i1 %{{[^,]+}}, label %tsr.new, label %
// IR: tsr.new:
// IR-COUNT-6: = phi i64
// IR: call double @llvm.fmuladd.f64(
// IR: store double {{.*}}!alias.scope {{.*}}!llvm.access.group
// IR: br i1 %{{.*}}!llvm.loop

#include <stdio.h>

__attribute__((noinline)) void gemm(int n, double *c, const double *a, const double *b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static double a[100 * 100], b[100 * 100], c[100 * 100];

int main(void)
{
  for (int n = 0; n <= 100; n += 33) {
    for (int i = 0; i < n * n; i++) {
      a[i] = i % 17 * 0.37;
      b[i] = i % 23 * 0.11;
      c[i] = i % 29 * 0.51;
    }
    gemm(n, c, a, b);
    double sum = 0;
    for (int i = 0; i < n * n; i++)
      sum += c[i] * (i % 7);
    printf("%d %a\n", n, sum);
  }
}
