// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop that is left in the middle is part of a nest as a whole, but not where it writes to an array that may be the one that
// says when: the remark is about where it is left.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedExit
// CHECK: Expression: {{.*}}b[j] == 5

void f(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (b[j] == 5)
        break;
      a[i * 50 + j] += b[j * 50 + i];
    }
}
