// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An element that is read again because it may have been written, path[i][k] in row i, is no chain of dependences: stores go by,
// and loads don't wait for them. A sum in an element is one.
//
// RUN: %clang -O2 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-force -Rpass=tessera -c %s -o /dev/null 2>&1 | %FileCheck %s

// CHECK: estimated cost 2.{{[0-9]+}}e+09 before
void paths(int n, int path[restrict n][n])
{
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
}

// CHECK: estimated cost 4.{{[0-9]+}}e+09 before
void sums(int n, double c[n][n], double a[n][n], double b[n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[j][k];
}
