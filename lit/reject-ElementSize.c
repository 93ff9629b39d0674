// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One array accessed with elements of two sizes is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedElementSize
// CHECK: Expression: {{.*}}*(short *)(a + 8 * i + 3)

void f(char *a, int n)
{
  for (int i = 0; i < n; i++)
    *(double *)(a + 8 * i) = *(short *)(a + 8 * i + 3);
}
