// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An inner loop that may be endless is no statement: what comes before it would not be seen.
//
// RUN: %remarks %s -mllvm -tessera-force | %FileCheck %s

// CHECK: Name: {{ *}}RejectedTripCount

void f(int n, const int *restrict d, int a[restrict n][n])
{
  for (int i = 0; i < n; i++) {
    for (int x = d[i];;)
      if (!(x = x * 5 & d[x & 15]))
        break;
    for (int j = 0; j < n; j++)
      a[j][i] += i;
  }
}
