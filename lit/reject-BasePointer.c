// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array whose address is loaded in the loop is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedBasePointer
// CHECK: Expression: {{.*}}row[i][j] = 0

void f(double **restrict row, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      row[i][j] = 0;
}
