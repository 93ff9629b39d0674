// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a statement takes from a loop around its own is computed once for all of its iterations there: it was counted as fifty
// operations, as what runs in loops inside of a statement is, and made nests look as if vectors gained much.
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-dump=%t -c %s -o /dev/null
// RUN: %FileCheck %s < %t/update.0.scop
void update(long n, double alpha, double (*restrict a)[n], const double *restrict x, double *restrict y)
{
  for (long i = 0; i < n; i++) {
    double t = alpha * x[i];
    y[i] += t * a[i][i];
    for (long j = i + 1; j < n; j++)
      y[j] += t * a[i][j];
  }
}
// CHECK: - name: S0
// CHECK: weight: 2{{$}}
// CHECK: - name: S1
// CHECK: weight: 2{{$}}
// CHECK-NOT: weight:
