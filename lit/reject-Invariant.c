// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bound in memory that the loop overwrites, or may overwrite in the array it stores to, is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedInvariant
// CHECK: Function: {{ *}}same_base
// CHECK: Expression: {{.*}}*n
// CHECK: Name: {{ *}}RejectedTripCount
// CHECK: Function: {{ *}}same_place

void same_base(int *n)
{
  for (int i = 0; i < *n; i++)
    n[i] = i;
}

void same_place(int *restrict a, int *restrict n)
{
  for (int i = 0; i < *n; i++) {
    a[i] = i;
    *n = *n - 1;
  }
}
