// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A break in the middle of a loop is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedControl
// CHECK: Expression: {{.*}}a[i] == 7

int find(int *a, int n)
{
  int count = 0;
  for (int i = 0; i < n; i++) {
    if (a[i] == 7)
      break;
    a[i] = i;
    count += i;
  }
  return count;
}
