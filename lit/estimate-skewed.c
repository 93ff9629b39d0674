// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that move one subscript together, b[1 + j + k], touch as many rows as there are, not one for each pair of them. So it
// isn't for the caches that a triangular product by rows is changed, but for register tiles: also where the factor is a scalar
// that is set in turn.
//
// RUN: %clang -O2 -march=znver3 -ffp-contract=off -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 \
// RUN:   | %FileCheck %s
// CHECK: loop nest transformed:{{.*}} register tiles
// CHECK: loop nest transformed:{{.*}} register tiles

void triangular(int n, int m, double b[restrict n][m], const double a[restrict n][n])
{
  for (int j = 0; j < n; j++)
    for (int k = j + 1; k < n; k++)
      if (a[j][k] != 0)
        for (int i = 0; i < m; i++)
          b[j][i] += a[j][k] * b[k][i];
}

void scaled(int n, int m, double b[restrict n][m], const double a[restrict n][n])
{
  for (int j = 0; j < n; j++) {
    double t = a[j][j];
    for (int i = 0; i < m; i++)
      b[j][i] = t * b[j][i];
    for (int k = j + 1; k < n; k++)
      if (a[j][k] != 0) {
        t = 3 * a[j][k];
        for (int i = 0; i < m; i++)
          b[j][i] = b[j][i] + t * b[k][i];
      }
  }
}
