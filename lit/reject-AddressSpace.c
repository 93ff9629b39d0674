// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An access to another address space is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedAddressSpace
// CHECK: Expression: {{.*}}a[i] = i

void f(int __attribute__((address_space(1))) *a, int n)
{
  for (int i = 0; i < n; i++)
    a[i] = i;
}
