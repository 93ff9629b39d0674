// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A time-iterated stencil in four dimensions is left as it is: after a third of the budget while it is scheduled, and with a
// budget that is enough, because it isn't worth it.
//
// RUN: rm -f %t.txt
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-statistics=%t.txt \
// RUN:   -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-budget=9000000 -mllvm -tessera-statistics=%t.txt \
// RUN:   -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=ENOUGH
// RUN: %FileCheck %s --check-prefix=OPERATIONS < %t.txt
//
// CHECK: [[#@LINE+10]]:3: remark: loop nest left as it is, the operation budget ran out:
// CHECK-SAME: a third of the budget of 3000000 isl operations ran out in stage schedule;
// CHECK-NOT: remark:
// ENOUGH: [[#@LINE+7]]:3: remark: loop nest left as it is: the estimated cost is not lower; stage: profit;
// ENOUGH-NOT: remark:
// Fewer than two million, fewer than three.
// OPERATIONS: operations={{(1?[0-9]{1,6})}} Modelled=1 BudgetExhausted=1{{$}}
// OPERATIONS-NEXT: operations={{([12]?[0-9]{1,6})}} Modelled=1 Unprofitable=1{{$}}

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
