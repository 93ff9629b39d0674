// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A return in the middle of a loop is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedControl
// CHECK: Expression: {{.*}}a[i] < 0

int f(int *a, int n)
{
  for (int i = 0; i < n; i++) {
    if (a[i] < 0)
      return i;
    a[i] = i;
  }
  return n;
}
