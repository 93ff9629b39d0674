// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an instance waits for, the others of its loop go on meanwhile: to take them out, into vectors, gains nothing as long as
// the wait is longer.
//
// RUN: %clang -O3 -march=znver4 -gline-tables-only -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera -c -o /dev/null %s 2>&1 | %FileCheck %s

// CHECK: [[#@LINE+3]]:3: remark: loop nest left as it is
void hidden(double *restrict a, const double *restrict b, const double *restrict c, double *restrict e)
{
  for (int i = 1; i < 32000; i++) {
    a[i] += b[i] * c[i];
    e[i] = e[i - 1] * e[i - 1];
    a[i] *= b[i];
  }
}

// CHECK: [[#@LINE+3]]:3: remark: loop nest left as it is
void two_waits(double *restrict a, const double *restrict b, double *restrict d, double *restrict e)
{
  for (int i = 1; i < 32000; i++) {
    d[i] = d[i - 1] / b[i];
    a[i] = a[i] + b[i] * 2.0;
    e[i] = e[i - 1] / b[i];
  }
}

// Rows that wait for nothing but themselves are lanes all the same.
// CHECK: [[#@LINE+3]]:3: remark: loop nest transformed
void rows(int n, double e[restrict n][n], double d[restrict n][n], const double b[restrict n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++) {
      d[i][j] = d[i][j - 1] / b[i][j];
      e[i][j] = e[i][j - 1] / b[i][j];
    }
}
