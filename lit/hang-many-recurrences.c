// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many recurrences over one common array are left as they are when the budget runs out while their dependences are found; with
// one that is enough, they are transformed.
//
// RUN: rm -f %t.txt
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-statistics=%t.txt \
// RUN:   -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-budget=15000000 -mllvm -tessera-statistics=%t.txt \
// RUN:   -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=ENOUGH
// RUN: %FileCheck %s --check-prefix=OPERATIONS < %t.txt
//
// CHECK: [[#@LINE+13]]:3: remark: loop nest left as it is, the operation budget ran out:
// CHECK-SAME: the budget of 3000000 isl operations ran out in stage dependences;
// CHECK-NOT: remark:
// ENOUGH: [[#@LINE+10]]:3: remark: loop nest transformed: rescheduled,
// ENOUGH-NOT: remark:
// Fewer than four million, fewer than ten.
// OPERATIONS: operations={{([1-3]?[0-9]{1,6})}} Modelled=1 BudgetExhausted=1{{$}}
// OPERATIONS-NEXT: operations={{([0-9]{1,7})}} Modelled=1 Transformed=1{{$}}

#define S(k) a##k[i] = a##k[i - 1] + b[i + k] * c[i - k];
#define T(k) c[i + k] += a##k[i] * b[i];
void f(int n, double *restrict b, double *restrict c, double *restrict a0, double *restrict a1, double *restrict a2, double *restrict a3, double *restrict a4, double *restrict a5, double *restrict a6, double *restrict a7, double *restrict a8, double *restrict a9)
{
  for (int t = 0; t < n; t++) {
  for (int i = 10; i < n; i++) { S(0) S(1) S(2) S(3) S(4) S(5) S(6) S(7) S(8) S(9) }
  for (int i = 10; i < n; i++) { T(0) T(1) T(2) T(3) T(4) T(5) T(6) T(7) T(8) T(9) }
  for (int i = 10; i < n; i++) { S(9) S(8) S(7) S(6) S(5) S(4) S(3) S(2) S(1) S(0) }
  }
}
