// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop whose bound it changes itself is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedTripCount
// CHECK: Expression: {{.*}}for (int i = 0; i < *n; i++)

void f(int *restrict a, int *restrict n)
{
  for (int i = 0; i < *n; i++)
    n[a[i] & 1] = a[i];
}
