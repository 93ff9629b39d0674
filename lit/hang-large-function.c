// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function of many nests ends within the budget of the module.
//
// RUN: timeout 30 %clang -O2 -fpass-plugin=%plugin -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 \
// RUN:   | %FileCheck %s

// CHECK: remark: loop nest {{left as it is|transformed|not modelled}}

#define NEST(k)                                                                                                             \
  for (int i = 1; i < n; i++)                                                                                               \
    for (int j = 1; j < n; j++)                                                                                             \
      a[i][j] = a[i - 1][j] + b[k][j] * a[j][(i + k) % 100] + (i > j - k ? b[j][i] : a[i][j - 1]);
#define NESTS(k) NEST(k##0) NEST(k##1) NEST(k##2) NEST(k##3) NEST(k##4) NEST(k##5) NEST(k##6) NEST(k##7) NEST(k##8) NEST(k##9)

void f(int n, double a[100][100], double b[100][100])
{
  NESTS(1) NESTS(2) NESTS(3) NESTS(4) NESTS(5)
}
