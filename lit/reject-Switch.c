// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A switch around a loop is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedSwitch
// CHECK: Expression: {{.*}}switch (kind[i])

void f(int *restrict a, const int *restrict kind, int n)
{
  for (int i = 0; i < n; i++)
    switch (kind[i]) {
    case 1: a[i] = 5; break;
    case 2: a[i] = 8; break;
    case 3: a[i] += 3;
    case 4:
      for (int j = 0; j < n; j++)
        a[j] *= 2;
      break;
    case 9: a[i] = 7;
    }
}
