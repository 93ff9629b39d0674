// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stencil of nested differences, whose flow dependences make some tools run for hours, is transformed, where that is asked
// for, with a small budget.
//
// RUN: rm -f %t.txt
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-budget=600000 -mllvm -tessera-statistics=%t.txt \
// RUN:   -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=OPERATIONS < %t.txt
//
// CHECK: [[#@LINE+7]]:3: remark: loop nest transformed: rescheduled, 0 loops marked independent, 0 parallel;
// CHECK-NOT: remark:
// Fewer than a million.
// OPERATIONS: operations={{([0-9]{1,6})}} Modelled=1 Transformed=1{{$}}

double f(double *restrict a, double *restrict b, int n)
{
  for (int t = 0; t < n; t++) {
    for (int i = 8; i < n - 8; i++)
      b[i] = (((a[i + 4] - a[i + 3]) - (a[i + 2] - a[i + 1])) - ((a[i] - a[i - 1]) - (a[i - 2] - a[i - 3]))) -
             (((a[i + 5] - a[i + 6]) - (a[i + 7] - a[i + 8])) - ((a[i - 4] - a[i - 5]) - (a[i - 6] - a[i - 7])));
    for (int i = 8; i < n - 8; i++)
      a[i] = (((b[i + 4] - b[i + 3]) - (b[i + 2] - b[i + 1])) - ((b[i] - b[i - 1]) - (b[i - 2] - b[i - 3]))) -
             (((b[i + 5] - b[i + 6]) - (b[i + 7] - b[i + 8])) - ((b[i - 4] - b[i - 5]) - (b[i - 6] - b[i - 7])));
  }
  return a[0];
}
