// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A condition on data is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedCondition
// CHECK: Expression: {{.*}}a[i] > 0

void f(double *restrict a, double *restrict b, int n)
{
  for (int i = 0; i < n; i++)
    if (a[i] > 0)
      b[i] = a[i];
}
