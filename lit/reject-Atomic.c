// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An atomic operation is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedAtomic
// CHECK: Expression: {{.*}}(*count)++

void f(int *restrict a, _Atomic int *restrict count, int n)
{
  for (int i = 0; i < n; i++) {
    a[i] = i;
    (*count)++;
  }
}
