// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checker sees itself whether an array can have panels: all that an iteration of the loop below the mark touches of it is
// in one panel, and the array's elements are those of some rows and columns.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O2 -march=haswell -fpass-plugin=%plugin -mllvm -tessera-dump=%t -c %s -o %t.o
// RUN: %tessera --until=profit --print=tree %t/columns.0.scop | grep -v ^profit: > %t/tree
// RUN: %FileCheck %s < %t/tree
// RUN: %tessera --until=run --schedule-file=%t/tree --params=p_0=130,p_2=3 --limit=1000000 %t/columns.0.scop 2>&1 | %FileCheck %s --check-prefix=SAME
// RUN: sed 's/64 columns/32 columns/' %t/tree > %t/size
// RUN: %not %tessera --schedule-file=%t/size %t/columns.0.scop 2>&1 | %FileCheck %s --check-prefix=OTHER
// RUN: sed 's/panel of A_[0-9]/panel of nothing/' %t/tree > %t/none
// RUN: %not %tessera --schedule-file=%t/none %t/columns.0.scop 2>&1 | %FileCheck %s --check-prefix=MARK
// RUN: sed 's/panel of A_0/panel of A_1/;t;s/panel of A_1/panel of A_0/' %t/tree > %t/array
// RUN: %not %tessera --schedule-file=%t/array %t/columns.0.scop 2>&1 | %FileCheck %s --check-prefix=OTHER
// RUN: sed 's/panel of A_[0-9]/panel of A_2/' %t/tree > %t/vector
// RUN: %not %tessera --schedule-file=%t/vector %t/columns.0.scop 2>&1 | %FileCheck %s --check-prefix=BOX
// The same loops, over every other row: what is in between isn't the loops' own.
// RUN: %not %tessera --schedule-file=%t/tree %t/halves.0.scop 2>&1 | %FileCheck %s --check-prefix=ROWS

// CHECK: mark: "panel of A_{{[01]}}, 64 columns"
// CHECK-NEXT: child:
// CHECK-NEXT: schedule: {{.*}}floor
// SAME: run: same memory at 1 parameter value
// OTHER: a panel of an array of which other panels are used, too
// BOX: a panel of what is no matrix, or not in whole lines
// ROWS: a panel of an array whose elements aren't all of some rows and columns
// MARK: a mark "panel of nothing, 64 columns" names what is no array

void columns(int m, int n, double A[restrict m][n], double s[restrict n], double Q[restrict m][n])
{
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < m; i++)
      Q[i][k] = A[i][k] * 0.01;
    for (int j = k + 1; j < n; j++) {
      s[j] = 0;
      for (int i = 0; i < m; i++)
        s[j] += Q[i][k] * A[i][j];
      for (int i = 0; i < m; i++)
        A[i][j] -= Q[i][k] * s[j];
    }
  }
}

void halves(int m, int n, double A[restrict 2 * m][n], double s[restrict n], double Q[restrict m][n])
{
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < m; i++)
      Q[i][k] = A[2 * i][k] * 0.01;
    for (int j = k + 1; j < n; j++) {
      s[j] = 0;
      for (int i = 0; i < m; i++)
        s[j] += Q[i][k] * A[2 * i][j];
      for (int i = 0; i < m; i++)
        A[2 * i][j] -= Q[i][k] * s[j];
    }
  }
}
