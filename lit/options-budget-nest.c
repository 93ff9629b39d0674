// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A nest that runs out of budget at every level says so once; so does each of two nests.
//
// RUN: %remarks %s -mllvm -tessera-budget=1 -mllvm -tessera-module-budget=0 | grep BudgetExhausted | %count 2

void f(double a[restrict 40][40][40], double b[restrict 40][40][40], int n)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < n; k++)
        a[i][j][k] += i;
      for (int k = 0; k < n; k++)
        a[i][k][j] += j;
    }
    for (int j = 0; j < n; j++)
      a[i][j][j] *= 2;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[i][j][i] = a[j][i][j];
}
