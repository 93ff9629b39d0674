// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model that needs a disjunction of many conditions to be correct is rejected.
//
// RUN: %remarks -g %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedAssumptions
// CHECK: Expression: {{.*}}n1

void f(char *restrict a, unsigned n1, unsigned n2, unsigned n3, unsigned n4, unsigned at1, unsigned at2, unsigned at3,
       unsigned at4, int u1, int u2, int u3, int u4, int m)
{
  for (int t = 0; t < m; t++) {
    if (u1 > 0)
      for (unsigned i = 0; i < n1; i++)
        a[i + at1] = i;
    if (u2 > 0)
      for (unsigned i = 0; i < n2; i++)
        a[i + at2] = i;
    if (u3 > 0)
      for (unsigned i = 0; i < n3; i++)
        a[i + at3] = i;
    if (u4 > 0)
      for (unsigned i = 0; i < n4; i++)
        a[i + at4] = i;
  }
}
