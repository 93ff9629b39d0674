// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A nest of ten triangular loops, whose dependences isl doesn't find in minutes, is left as it is after a third of the budget.
//
// RUN: rm -f %t.txt
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-statistics=%t.txt \
// RUN:   -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=OPERATIONS < %t.txt
//
// CHECK: [[#@LINE+8]]:3: remark: loop nest left as it is, the operation budget ran out:
// CHECK-SAME: a third of the budget of 3000000 isl operations ran out in stage dependences;
// CHECK-NOT: remark:
// Fewer than two million.
// OPERATIONS: operations={{(1?[0-9]{1,6})}} Modelled=1 BudgetExhausted=1{{$}}

int a[64];
void f(int n) {
  for (int i0=0;i0<n;i0++) for (int i1=0;i1<i0;i1++) for (int i2=0;i2<i1;i2++) for (int i3=0;i3<i2;i3++) for (int i4=0;i4<i3;i4++) for (int i5=0;i5<i4;i5++) for (int i6=0;i6<i5;i6++) for (int i7=0;i7<i6;i7++)
   for (int i8=0;i8<i7;i8++) for (int i9=0;i9<i8;i9++) 
    a[(i0+i1+i2+i3+i4+i5+i6+i7+i8+i9)] += a[i9+i7-i5+i3-i1] - i4;
}
