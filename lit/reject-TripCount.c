// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop that ends where the data does is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedTripCount
// CHECK: Expression: {{.*}}while (a[n] > 0)

int f(const int *restrict a)
{
  int n = 0;
  while (a[n] > 0)
    n++;
  return n;
}
