// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// New code has no records of variables: they would tell values of another iteration. The original keeps its own.
//
// RUN: %source-ir -g %s | %tessera-opt -verify-each -passes='tessera<force>,verify' | %FileCheck %s

// CHECK: define {{.*}}@f(
// CHECK: br i1 {{.*}}label %tsr.new,
// CHECK: #dbg_value(double
// CHECK: tsr.new:
// CHECK-NOT: #dbg_
// CHECK: tsr.join:
// CHECK: distinct !DISubprogram(name: "f"

void f(double *restrict a, const double *restrict b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double tmp = b[i * n + j] + i;
      double twice = tmp * 2;
      a[j * n + i] = twice - j;
    }
}
