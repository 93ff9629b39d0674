// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function of many nests is left as it is after one and a half times the budget of a nest, and a little more for each nest
// beyond twelve, or with that of the module: the nests that find nothing left of it each say so.
//
// DEFINE: %{compile} = %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-statistics=%t.txt -Rpass=tessera -Rpass-missed=tessera
// RUN: rm -f %t.txt
// RUN: %{compile} -c %s -o %t.o 2> %t.remarks
// RUN: grep 'remark: loop nest left as it is' %t.remarks | %count 50
// RUN: grep -v 'budget ran out' %t.remarks | %FileCheck %s
// RUN: %{compile} -mllvm -tessera-module-budget=1000000 -c %s -o %t.o 2> %t.remarks
// RUN: grep 'remark: loop nest left as it is, the operation budget ran out' %t.remarks | %count 50
// RUN: %FileCheck %s --check-prefix=OPERATIONS < %t.txt
//
// CHECK: remark: loop nest left as it is: the estimated cost is not lower; stage: profit
// CHECK-NOT: remark: loop nest {{transformed|not modelled}}
// Fewer than seven million, and hardly more than one.
// OPERATIONS: operations={{([1-6]?[0-9]{1,6})}} Modelled={{[0-9]+}} Unprofitable={{[0-9]+}} BudgetExhausted={{[0-9]+$}}
// OPERATIONS-NEXT: operations={{((10)?[0-9]{1,5}|[0-9]{1,6})}} {{(Modelled=[0-9]+ )?}}BudgetExhausted=50{{$}}

#define NEST(k)                                                                                                             \
  for (int i = 1; i < n; i++)                                                                                               \
    for (int j = 1; j < n; j++)                                                                                             \
      a[i][j] = a[i - 1][j] + b[k][j] * a[j][(i + k) % 100] + (i > j - k ? b[j][i] : a[i][j - 1]);
#define NESTS(k) NEST(k##0) NEST(k##1) NEST(k##2) NEST(k##3) NEST(k##4) NEST(k##5) NEST(k##6) NEST(k##7) NEST(k##8) NEST(k##9)

void f(int n, double a[100][100], double b[100][100])
{
  NESTS(1) NESTS(2) NESTS(3) NESTS(4) NESTS(5)
}
