// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is assumed doesn't list each loop that may be empty, nor where an overflow would matter: one condition for each array.
//
// RUN: %remarks -g %s | %FileCheck %s

// CHECK: Name: {{ *}}Modelled
// CHECK: Function: {{ *}}product
// CHECK: Assumptions: {{.*}} -> {  : n <= ldb and n <= ldc and k <= lda }
void product(double *restrict c, const double *a, const double *b, int m, int n, int k, int lda, int ldb, int ldc)
{
  for (int l = 0; l < k; l++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++)
        c[ldc * i + j] += a[lda * i + l] * b[ldb * l + j];
}
