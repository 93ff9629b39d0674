// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A volatile access is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedVolatile
// CHECK: Expression: {{.*}}port

volatile int port;
void f(int *restrict a, int n)
{
  for (int i = 0; i < n; i++)
    a[i] = port;
}
