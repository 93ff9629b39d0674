// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are to be small, or are cold, are transformed only when forced.
//
// RUN: %remarks %s -DATTRIBUTE= | %FileCheck %s
// RUN: %remarks %s -DATTRIBUTE= -Os | %count 0
// RUN: %remarks %s -DATTRIBUTE= -Oz | %count 0
// RUN: %remarks %s -DATTRIBUTE='__attribute__((minsize))' | %count 0
// RUN: %remarks %s -DATTRIBUTE='__attribute__((cold))' | %count 0
// RUN: %remarks %s -DATTRIBUTE= -Os -mllvm -tessera-force | %FileCheck %s
// RUN: %remarks %s -DATTRIBUTE= -Oz -mllvm -tessera-force | %FileCheck %s
// RUN: %remarks %s -DATTRIBUTE='__attribute__((minsize))' -mllvm -tessera-force | %FileCheck %s
// RUN: %remarks %s -DATTRIBUTE='__attribute__((cold))' -mllvm -tessera-force | %FileCheck %s

// CHECK: Name: {{ *}}Transformed

ATTRIBUTE
void gemm(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
