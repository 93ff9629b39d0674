// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A vector is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedType
// CHECK: Expression: {{.*}}a[i] * 2

typedef double v4 __attribute__((vector_size(32)));
void f(v4 *restrict a, int n)
{
  for (int i = 0; i < n; i++)
    a[i] = a[i] * 2;
}
