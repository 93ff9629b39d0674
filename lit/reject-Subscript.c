// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A subscript read from memory is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedSubscript
// CHECK: Expression: {{.*}}a{{\[at\[i\]\]}} = i

void f(double *restrict a, const int *restrict at, int n)
{
  for (int i = 0; i < n; i++)
    a[at[i]] = i;
}
