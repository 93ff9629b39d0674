// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds and conditions of many parameters end within the budget.
//
// RUN: timeout 30 %clang -O2 -fpass-plugin=%plugin -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 \
// RUN:   | %FileCheck %s

// CHECK: remark: loop nest {{left as it is|transformed|not modelled}}

void f(int n, int m, int p, int q, int r, int s, double *a, double *b, double *c, double *d, double *e)
{
  for (int i = 0; i < n; i++)
    for (int j = p; j < m + i; j++)
      for (int k = q - j; k < r + i; k++)
        if (i + j + k < s && i - j < p && k - 2 * i > q) {
          a[i + p] += b[j + q] * c[k + r];
          d[i + j + s] -= e[k + q] + a[i + q];
          b[2 * i + j] = d[3 * k + j] + e[i];
        }
}
