// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on x87 values is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedType
// CHECK: Expression: {{.*}}a[i] * 2

void f(long double *restrict a, int n)
{
  for (int i = 0; i < n; i++)
    a[i] = a[i] * 2;
}
