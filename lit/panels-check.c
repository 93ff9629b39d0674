// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array has panels of its own where all that an iteration of the loop below the mark touches of it is in one of them, be
// that a matrix, with rows in between that the loops leave alone, or a row. Otherwise the mark says nothing, and the array is
// used where it is; so it is where the proof of what becomes of it might take too many operations.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O2 -march=haswell -fpass-plugin=%plugin -mllvm -tessera-dump=%t -c %s -o %t.o
// RUN: %tessera --until=profit --print=tree %t/columns.0.scop | grep -v ^profit: > %t/tree
// RUN: %FileCheck %s < %t/tree
// RUN: %tessera --until=run --schedule-file=%t/tree --params=p_0=130,p_2=3 --limit=1000000 %t/columns.0.scop 2>&1 | %FileCheck %s --check-prefix=SAME
// RUN: %tessera --schedule-file=%t/tree --print=ast %t/columns.0.scop | %FileCheck %s --check-prefix=MOVED
// RUN: %tessera --until=run --parallel --print=ast --params=p_0=200,p_2=2 --limit=1000000 %t/columns.0.scop 2>&1 \
// RUN:   | %FileCheck %s --check-prefixes=STEPS,SAME
// RUN: echo 'columns: panels()' > %t/commands
// RUN: %tessera --commands=%t/commands --print=ast %t/columns.0.scop 2>&1 | %FileCheck %s --check-prefix=MOVED
// RUN: %tessera --commands=%t/commands --budget=500000 --print=ast %t/columns.0.scop 2>&1 | %FileCheck %s --check-prefix=PLACE
// RUN: sed 's/64 columns/32 columns/' %t/tree > %t/size
// RUN: %tessera --until=run --schedule-file=%t/size --print=ast %t/columns.0.scop 2>&1 | %FileCheck %s --check-prefixes=PLACE,SAME
// RUN: sed 's/panel of A_[0-9]/panel of nothing/' %t/tree > %t/none
// RUN: %not %tessera --schedule-file=%t/none %t/columns.0.scop 2>&1 | %FileCheck %s --check-prefix=MARK
// RUN: sed 's/panel of A_0/panel of A_1/;t;s/panel of A_1/panel of A_0/' %t/tree > %t/array
// RUN: %tessera --until=run --schedule-file=%t/array --print=ast %t/columns.0.scop 2>&1 | %FileCheck %s --check-prefixes=PLACE,SAME
// RUN: sed 's/panel of A_[0-9]/panel of A_2/' %t/tree > %t/vector
// RUN: %tessera --until=run --schedule-file=%t/vector --print=ast %t/columns.0.scop 2>&1 | %FileCheck %s --check-prefixes=VECTOR,SAME
// RUN: %tessera --until=run --schedule-file=%t/tree --print=ast %t/halves.0.scop 2>&1 | %FileCheck %s --check-prefixes=HALVES,SAME

// CHECK: mark: "panel of A_{{[01]}}, 64 columns"
// CHECK-NEXT: child:
// CHECK-NEXT: schedule: {{.*}}floor
// MOVED:      // allocate [[A:A_[01]]]_buffer
// MOVED:      for (int c1 = 0; c1 < p_2; c1 += 1) {
// MOVED:        load_[[A]](c0, c1, c2);
// MOVED:      for (int c1 = 0; c1 < p_2; c1 += 1) {
// MOVED:        store_[[A]](c0, c1, c2);
// STEPS:      // doacross
// STEPS:      // allocate
// STEPS:      // steps
// PLACE:      // panel of A_{{[01]}}
// PLACE-NOT:  allocate
// VECTOR:     // allocate A_2_buffer
// VECTOR:     load_A_2(c0, c1);
// HALVES:     for (int c1 = 0; c1 < 2 * p_2 - 1; c1 += 2) {
// HALVES:       load_A_{{[01]}}(c0, c1, c2);
// SAME:       run: same memory at
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
