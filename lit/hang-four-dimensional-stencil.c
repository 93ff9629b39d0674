// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A time-iterated stencil in four dimensions ends within the budget.
//
// RUN: timeout 30 %clang -O2 -fpass-plugin=%plugin -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 \
// RUN:   | %FileCheck %s

// CHECK: remark: loop nest {{left as it is|transformed|not modelled}}

void f(int n, double a[n][n][n][n], double b[n][n][n][n]) {
  for (int t = 0; t < n; t++)
  for (int i = 2; i < n - 2; i++)
    for (int j = 2; j < n - 2; j++)
      for (int k = 2; k < n - 2; k++)
        for (int l = 2; l < n - 2; l++) {
          a[i][j][k][l] = b[i-1][j][k][l] + b[i+1][j][k][l] + b[i][j-1][k][l] + b[i][j+1][k][l] + b[i][j][k-1][l] + b[i][j][k+1][l] + b[i][j][k][l-1] + b[i][j][k][l+1];
          b[i][j][k][l] = a[i-1][j][k][l] + a[i-2][j][k][l] + a[i][j-1][k][l] + a[i][j-2][k][l] + a[i][j][k-1][l] + a[i][j][k-2][l] + a[i][j][k][l-1] + a[i][j][k][l-2];
        }
}
