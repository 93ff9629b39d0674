// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A condition on data around a loop is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedCondition
// CHECK: Expression: {{.*}}a[i] > 0

void f(double *restrict a, double *restrict b, int n)
{
  for (int i = 0; i < n; i++)
    if (a[i] > 0)
      for (int j = 0; j < n; j++)
        b[j] += a[i];
}
