// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More arrays than can be checked for overlap are rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedAlias
// CHECK: Expression: {{.*}}[x] =

typedef double *p;
void f(p a, p b, p c, p d, p e, p g, p h, p i, p j, p k, p l, p m, int n)
{
  for (int x = 0; x < n; x++) {
    a[x] = 1, b[x] = 2, c[x] = 3, d[x] = 4, e[x] = 5, g[x] = 6;
    h[x] = 1, i[x] = 2, j[x] = 3, k[x] = 4, l[x] = 5, m[x] = 6;
  }
}
