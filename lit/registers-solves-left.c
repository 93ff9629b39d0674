// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Triangular solves from the left: what is a column of vectors in a tile is at a diagonal, too, and what divides an element
// belongs to the lane of that element. Where lanes run against their loop, the division runs in front of them all.
//
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v4 -ffp-contract=off -fpass-plugin=%plugin -gline-tables-only -Rpass=tessera \
// RUN:   -mllvm -tessera-only='^solve_' -mllvm -tessera-print=ast -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=znver4 %s -o %t && %t > %t.out && diff %t.expected %t.out

// CHECK: tessera: solve_down.0
// CHECK: // registers 6x4x8 over 1
// CHECK: // edges: S{{[0-9]}} x8
// CHECK: registers-solves-left.c:[[#@LINE+14]]:3: remark: loop nest transformed: {{.*}}register tiles of 6x4
// CHECK: tessera: solve_up.0
// CHECK: // registers 6x4x8 over 1
// CHECK: // edges: S{{[0-9]}} x8
// CHECK: registers-solves-left.c:[[#@LINE+25]]:3: remark: loop nest transformed: {{.*}}register tiles of 6x4

#include <stdio.h>
#include <stdlib.h>

#define TEST __attribute__((noinline))

/* b := a^-1 * alpha * b, a lower triangular */
TEST void solve_down(int m, int n, int unit, double alpha, const double *restrict a, double *restrict b, int ld)
{
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++)
      b[i + j * ld] *= alpha;
    for (int k = 0; k < m; k++) {
      if (!unit)
        b[k + j * ld] /= a[k + k * ld];
      for (int i = k + 1; i < m; i++)
        b[i + j * ld] -= b[k + j * ld] * a[i + k * ld];
    }
  }
}

/* The same with a upper triangular */
TEST void solve_up(int m, int n, int unit, double alpha, const double *restrict a, double *restrict b, int ld)
{
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++)
      b[i + j * ld] *= alpha;
    for (int k = m - 1; k >= 0; k--) {
      if (!unit)
        b[k + j * ld] /= a[k + k * ld];
      for (int i = 0; i < k; i++)
        b[i + j * ld] -= b[k + j * ld] * a[i + k * ld];
    }
  }
}

enum { LD = 523 };
static double a[LD * LD], b[LD * LD];

static void fill(unsigned s, int n)
{
  srand(s);
  for (int j = 0; j < LD; j++)
    for (int i = 0; i < LD; i++) {
      a[i + j * LD] = i == j ? 2 + rand() % 3 : (rand() % 7 - 2.75) / 64;
      if (j < n)
        b[i + j * LD] = rand() % 9 - 4;
    }
}

static void report(const char *name, int m, int n, int flag)
{
  double s = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < LD; i++)
      s = s * 0.9999 + b[i + j * LD];
  printf("%s %d %d %d %.17g\n", name, m, n, flag, s);
}

int main(void)
{
  static const int size[][2] = {{0, 5},    {5, 0},     {1, 1},     {7, 3},    {3, 7},   {6, 32},  {7, 33},   {13, 31},  {48, 12}, {47, 65},
                                {97, 8},   {101, 100}, {257, 130}, {257, 41}, {259, 33}, {520, 33}, {385, 9},  {391, 70}, {521, 32}};
  for (unsigned i = 0; i < sizeof(size) / sizeof(*size); i++)
    for (int flag = 0; flag < 2; flag++) {
      int m = size[i][0], n = size[i][1];
      fill(i * 4 + (unsigned)flag, n);
      solve_down(m, n, flag, 1.25, a, b, LD);
      report("down", m, n, flag);
      fill(i * 4 + (unsigned)flag + 1, n);
      solve_up(m, n, flag, 1.25, a, b, LD);
      report("up", m, n, flag);
    }
  return 0;
}
