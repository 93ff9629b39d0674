// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum moves into the element that it is stored to in the end. The parts of a complex one do not where the stores need both:
// the part that stays would hold the loops as they are. Sums do that have a store each.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-dump=%t -c %s -o %t.o
// RUN: %FileCheck %s --check-prefix=REAL < %t/real.0.scop
// RUN: %FileCheck %s --check-prefix=MIXED < %t/mixed.0.scop
// RUN: %FileCheck %s --check-prefix=APART < %t/apart.0.scop

// REAL-NOT: read: "{{.*}} -> {{(phi|val)}}
// MIXED: read: "{{.*}} -> phi
// APART-NOT: read: "{{.*}} -> {{(phi|val)}}

void real(int n, double c[n][n], double a[n][n], double b[n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
}

void mixed(int n, double x, double y, double c[n][n][2], double a[n][n][2], double b[n][n][2])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double re = 0, im = 0;
      for (int k = 0; k < n; k++) {
        re += a[i][k][0] * b[k][j][0] - a[i][k][1] * b[k][j][1];
        im += a[i][k][0] * b[k][j][1] + a[i][k][1] * b[k][j][0];
      }
      c[i][j][0] = x * re - y * im;
      c[i][j][1] = x * im + y * re;
    }
}

void apart(int n, double u[n], double v[n], double a[n][n], double b[n][n])
{
  for (int i = 0; i < n; i++) {
    double one = 0, other = 1;
    for (int k = 0; k < n; k++) {
      one += a[k][i];
      other += b[k][i];
    }
    u[i] = one;
    v[i] = other;
  }
}
