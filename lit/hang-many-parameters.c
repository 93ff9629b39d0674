// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds and conditions of many parameters: the budget runs out in dependences, a share of it that is small. Where a change
// is asked for nevertheless, it runs out before code is written.
//
// RUN: rm -f %t.txt
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-budget=1000000 -mllvm -tessera-statistics=%t.txt \
// RUN:   -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-statistics=%t.txt \
// RUN:   -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=FORCE
// RUN: %FileCheck %s --check-prefix=OPERATIONS < %t.txt
//
// CHECK: [[#@LINE+10]]:3: remark: loop nest left as it is, the operation budget ran out: a third of the budget of 1000000 isl operations ran out in stage dependences;
// CHECK-NOT: remark:
// FORCE: [[#@LINE+8]]:3: remark: loop nest left as it is, the operation budget ran out; stage: emit;
// FORCE-NOT: remark:
// Fewer than a million, fewer than five: a function may cost one and a half times what a nest may.
// OPERATIONS: operations={{([0-9]{1,6})}} Modelled=1 BudgetExhausted=1{{$}}
// OPERATIONS-NEXT: operations={{([1-4]?[0-9]{1,6})}} Modelled=1 BudgetExhausted=1{{$}}

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
