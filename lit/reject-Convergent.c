// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A convergent call is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedConvergent
// CHECK: Expression: {{.*}}everyone(i)

__attribute__((convergent, const, nothrow)) int everyone(int);
void f(int *restrict a, int n)
{
  for (int i = 0; i < n; i++)
    a[i] = everyone(i);
}
