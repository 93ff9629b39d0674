// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A condition on data around loops in one another is rejected, and so is one around a loop that something comes out of.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedCondition
// CHECK: Expression: {{.*}}a[i] > 0

void f(double *restrict a, double *restrict b, int n)
{
  for (int i = 0; i < n; i++)
    if (a[i] > 0)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
          b[j] += a[i];
}

// CHECK: Name: {{ *}}RejectedCondition
// CHECK: Expression: {{.*}}a[i] > 1

double g(double *restrict a, double *restrict b, int n)
{
  double s = 0;
  for (int i = 0; i < n; i++)
    if (a[i] > 1)
      for (int j = 0; j < n; j++)
        s = s * a[i] + b[j * n + i];
  return s;
}
