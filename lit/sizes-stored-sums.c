// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over rows, a row at a time, are vectors; but each row waits until the sums of the one before are stored, so that few
// columns, whatever the number of rows, are faster one after the other.
//
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -Rpass=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// CHECK: loop nest transformed: rescheduled,{{.*}}; runs where {{[a-z_0-9]+}} >= {{[5-9]|[1-9][0-9]}} 

void column_sums(int m, int n, const double *restrict a, double *restrict c)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      c[j] += a[i * n + j];
}
