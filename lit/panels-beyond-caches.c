// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Panels of columns that bring data nearer, and no more than that, are for data beyond all caches: with less, moving it into the
// panel takes longer than it gains.
// RUN: %clang -O3 -march=x86-64-v4 -g -fpass-plugin=%plugin -Rpass=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// CHECK: :[[@LINE+4]]:3: remark: loop nest transformed: {{.*}}; runs where {{.*}}m * sides * n >= {{[1-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]}}
void project(int m, int n, int sides, double A[restrict m][n], double B[restrict m][sides], double X[restrict n][sides],
             const double norm[restrict], double left[restrict])
{
  for (int k = 0; k < m; k++) {
    for (int j = 0; j < sides; j++)
      left[j] = B[k][j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < sides; j++)
        left[j] -= A[k][i] * X[i][j];
    for (int j = 0; j < sides; j++)
      left[j] /= norm[k];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < sides; j++)
        X[i][j] += A[k][i] * left[j];
  }
}
