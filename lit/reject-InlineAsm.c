// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline assembly is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedInlineAsm
// CHECK: Expression: {{.*}}__asm__

void f(int *restrict a, int n)
{
  for (int i = 0; i < n; i++) {
    a[i] = i;
    __asm__ volatile("nop");
  }
}
