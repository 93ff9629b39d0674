// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call of a function that may do anything is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedCall
// CHECK: Expression: {{.*}}report(i)

void report(int);
void f(double *restrict a, int n)
{
  for (int i = 0; i < n; i++) {
    a[i] = i;
    report(i);
  }
}
