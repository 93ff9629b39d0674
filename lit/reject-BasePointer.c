// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pointer that moves on in more than one loop has no base.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedBasePointer
// CHECK: Expression: {{.*}}= 0

void f(double *restrict p, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      *p++ = 0;
}
