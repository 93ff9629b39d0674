// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array with a subscript that is read from memory may reach any address, so nothing may overlap it.
//
// RUN: %remarks %s -mllvm -tessera-force | %FileCheck %s

// CHECK: Name: {{ *}}RejectedIndirect
// CHECK: Expression: {{.*}}x{{\[at\[i\]\]}}

void f(double *x, double *y, const int *at, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      y[j] += x[at[i]];
}
