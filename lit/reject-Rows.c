// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array of pointers to rows is rejected where the rows change with the loop.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedRows
// CHECK: Expression: {{.*}}row[j][i] = 0

void f(double **restrict row, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      row[j][i] = 0;
}
