// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays with many symbolic offsets, whose ranges take ages to compare, end within the budget.
//
// RUN: timeout 30 %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 \
// RUN:   | %FileCheck %s

// CHECK: remark: loop nest {{left as it is|transformed|not modelled}}

void f(double *restrict a, double *b, const double *c, long n, long p1, long p2, long p3, long p4, long p5, long p6, long p7,
       long p8, long p9)
{
  for (long i = 0; i < n; i++) {
    a[i] = c[i + p1] + c[i + p2] + c[i + p3] + c[i + p4] + c[i + p5] + c[i + p6] + c[i + p7] + c[i + p8] + c[i + p9];
    b[i + p1] = a[i];
  }
}
