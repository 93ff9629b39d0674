// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fence is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedAtomic
// CHECK: Expression: {{.*}}__atomic_thread_fence

void f(int *restrict a, int n)
{
  for (int i = 0; i < n; i++) {
    a[i] = i;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
}
