// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays with many symbolic offsets, whose ranges take ages to compare: eight are compared, nine are left as they are, at once.
//
// DEFINE: %{compile} = %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-statistics=%t.txt \
// DEFINE:   -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o
// RUN: rm -f %t.txt
// RUN: %{compile} -DLAST= 2>&1 | %FileCheck %s --check-prefix=EIGHT
// RUN: %{compile} -DLAST='+ c[i + p9]' -mllvm -tessera-budget=100000 2>&1 | %FileCheck %s --check-prefix=NINE
// RUN: %FileCheck %s --check-prefix=OPERATIONS < %t.txt
//
// EIGHT: [[#@LINE+11]]:3: remark: loop nest transformed: rescheduled, 1 loops marked independent, 0 parallel;
// EIGHT-NOT: remark:
// NINE: [[#@LINE+9]]:3: remark: loop nest not modelled: the range of addresses accessed can't be bounded: c[i + p1] + {{.*}};
// NINE-NOT: remark:
// Fewer than a million, fewer than a hundred thousand.
// OPERATIONS: operations={{([0-9]{1,6})}} Modelled=1 Transformed=1{{$}}
// OPERATIONS-NEXT: operations={{([0-9]{1,5})}} Modelled=1 RejectedBounds=1{{$}}

void f(double *restrict a, double *b, const double *c, long n, long p1, long p2, long p3, long p4, long p5, long p6, long p7,
       long p8, long p9)
{
  for (long i = 0; i < n; i++) {
    a[i] = c[i + p1] + c[i + p2] + c[i + p3] + c[i + p4] + c[i + p5] + c[i + p6] + c[i + p7] + c[i + p8] LAST;
    b[i + p1] = a[i];
  }
}
