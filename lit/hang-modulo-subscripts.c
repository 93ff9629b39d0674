// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many statements with modulo subscripts are transformed, where that is asked for, within the budget.
//
// RUN: rm -f %t.txt
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-statistics=%t.txt \
// RUN:   -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=OPERATIONS < %t.txt
//
// CHECK: [[#@LINE+7]]:3: remark: loop nest transformed: rescheduled, 0 loops marked independent, 0 parallel;
// CHECK-NOT: remark:
// Fewer than three million.
// OPERATIONS: operations={{([12]?[0-9]{1,6})}} Modelled=1 Transformed=1{{$}}

void f(int *restrict a, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[(i + j) % 2] += 1;
      a[(i * 3 + j) % 3 + 2] += 2;
      a[(i + j * 5) % 5 + 5] += 3;
      a[(i * 7 + j) % 7 + 10] += 4;
      a[(i + j * 11) % 11 + 17] += 5;
      a[(i * 13 + j) % 13 + 28] += 6;
      a[(i + j * 17) % 17 + 41] += 7;
      a[(i * 19 + j) % 19 + 58] += 8;
      a[(i + j * 23) % 23 + 77] += 9;
      a[(i * 29 + j) % 29 + 100] += 10;
    }
}
