// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Triangular solves from the right, and products with a symmetric matrix, as reference BLAS has them: columns are done in
// either direction, each step divides a column or not, zeros are skipped. Where a scheduler has rows and sums begin is of no
// importance to it; tiles need them where elements are. Divisions are done anew beside loops of more depth.
//
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v4 -ffp-contract=off -fpass-plugin=%plugin -gline-tables-only -Rpass=tessera \
// RUN:   -mllvm -tessera-only='^(solve|product)_' -mllvm -tessera-print=ast -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin %s -o %t && %t > %t.out && diff %t.expected %t.out

// Rows begin with a tile, and sums end in front of one.
// CHECK: tessera: solve_up.0
// CHECK: // registers 6x4x8 over 1
// CHECK: registers-solves.c:[[#@LINE+19]]:3: remark: loop nest transformed: {{.*}}register tiles of 6x4
// CHECK: tessera: solve_down.0
// CHECK: // registers 6x4x8 over 1
// CHECK: registers-solves.c:[[#@LINE+32]]:3: remark: loop nest transformed: {{.*}}register tiles of 6x4
// CHECK: tessera: solve_later.0
// CHECK: // registers 6x4x8 over 1
// CHECK: registers-solves.c:[[#@LINE+47]]:3: remark: loop nest transformed: {{.*}}register tiles of 6x4
// CHECK: tessera: product_symmetric.0
// CHECK: // registers 6x4x8 over 1
// CHECK: registers-solves.c:[[#@LINE+62]]:3: remark: loop nest transformed: {{.*}}register tiles of 6x4

#include <stdio.h>
#include <stdlib.h>

#define TEST __attribute__((noinline))

/* b := b / a, a upper triangular */
TEST void solve_up(int m, int n, int unit, const double *restrict a, double *restrict b, int ld)
{
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++)
      if (a[k + j * ld] != 0)
        for (int i = 0; i < m; i++)
          b[i + j * ld] -= a[k + j * ld] * b[i + k * ld];
    if (!unit) {
      double t = 1 / a[j + j * ld];
      for (int i = 0; i < m; i++)
        b[i + j * ld] = t * b[i + j * ld];
    }
  }
}

/* The same by a', from the last column on */
TEST void solve_down(int m, int n, int unit, const double *restrict a, double *restrict b, int ld)
{
  for (int k = n - 1; k >= 0; k--) {
    if (!unit) {
      double t = 1 / a[k + k * ld];
      for (int i = 0; i < m; i++)
        b[i + k * ld] = t * b[i + k * ld];
    }
    for (int j = 0; j < k; j++)
      if (a[j + k * ld] != 0) {
        double t = a[j + k * ld];
        for (int i = 0; i < m; i++)
          b[i + j * ld] -= t * b[i + k * ld];
      }
  }
}

/* a lower triangular, by a' */
TEST void solve_later(int m, int n, int unit, const double *restrict a, double *restrict b, int ld)
{
  for (int k = 0; k < n; k++) {
    if (!unit) {
      double t = 1 / a[k + k * ld];
      for (int i = 0; i < m; i++)
        b[i + k * ld] = t * b[i + k * ld];
    }
    for (int j = k + 1; j < n; j++)
      if (a[j + k * ld] != 0) {
        double t = a[j + k * ld];
        for (int i = 0; i < m; i++)
          b[i + j * ld] -= t * b[i + k * ld];
      }
  }
}

TEST void product_symmetric(int m, int n, int upper, double alpha, const double *restrict a, const double *restrict b,
                            double *restrict c, int ld)
{
  for (int j = 0; j < n; j++) {
    double t = alpha * a[j + j * ld];
    for (int i = 0; i < m; i++)
      c[i + j * ld] = t * b[i + j * ld];
    for (int k = 0; k < j; k++) {
      if (upper)
        t = alpha * a[k + j * ld];
      else
        t = alpha * a[j + k * ld];
      for (int i = 0; i < m; i++)
        c[i + j * ld] += t * b[i + k * ld];
    }
    for (int k = j + 1; k < n; k++) {
      if (upper)
        t = alpha * a[j + k * ld];
      else
        t = alpha * a[k + j * ld];
      for (int i = 0; i < m; i++)
        c[i + j * ld] += t * b[i + k * ld];
    }
  }
}

enum { LD = 523 };
static double a[LD * LD], b[LD * LD], c[LD * LD];

static void fill(unsigned s, int n, int zeros)
{
  srand(s);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < LD; i++) {
      a[i + j * LD] = i == j ? 2 + rand() % 3 : (rand() % 7 - 3 + !zeros * 0.25) / 64;
      b[i + j * LD] = rand() % 9 - 4, c[i + j * LD] = rand() % 5;
    }
}

static void report(const char *name, int m, int n, int flag, const double *x)
{
  double s = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < LD; i++)
      s = s * 0.9999 + x[i + j * LD];
  printf("%s %d %d %d %.17g\n", name, m, n, flag, s);
}

int main(void)
{
  static const int size[][2] = {{0, 5}, {5, 0}, {1, 1}, {7, 3},   {3, 7},   {32, 6},  {33, 7},   {31, 13},  {64, 12}, {65, 48},
                                {8, 97}, {100, 101}, {257, 130}, {41, 257}, {33, 259}, {520, 33}, {9, 385}, {70, 391}, {32, 521}};
  for (unsigned i = 0; i < sizeof(size) / sizeof(*size); i++)
    for (int flag = 0; flag < 2; flag++)
      for (int zeros = 0; zeros < 2; zeros++) {
        int m = size[i][0], n = size[i][1];
        fill(i * 4 + (unsigned)flag, n, zeros);
        solve_up(m, n, flag, a, b, LD);
        report("up", m, n, flag, b);
        fill(i * 4 + (unsigned)flag + 1, n, zeros);
        solve_down(m, n, flag, a, b, LD);
        report("down", m, n, flag, b);
        fill(i * 4 + (unsigned)flag + 2, n, zeros);
        solve_later(m, n, flag, a, b, LD);
        report("later", m, n, flag, b);
        product_symmetric(m, n, flag, 1.25, a, b, c, LD);
        report("symmetric", m, n, flag, c);
      }
  return 0;
}
