// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex products whose factor a condition chooses, a symmetric matrix from the right, and complex solves with sums that
// live in the solution itself, transposed from the left: both parts of a number, which one block computes, get register
// tiles. Factors that are chosen have elements of an array; parts of a sum that live in elements of one array are statements
// of their own. The same bit for bit.
//
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=haswell -g -Rpass=tessera -Rpass-missed=tessera %s -c -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force %s -c -o %t.o
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=haswell -mllvm -tessera-print=ast %s -c -o %t.o 2>&1 | %FileCheck --check-prefix=SHARED %s
// REQUIRES: native-avx2
//
// CHECK: chosen.c:[[#@LINE+22]]:{{.*}} remark: loop nest transformed: {{.*}}register tiles of {{[0-9]+}}x{{[0-9]+}} vectors of 4 with {{[0-9]+}} packed operands
// CHECK: chosen.c:[[#@LINE+46]]:{{.*}} remark: loop nest transformed: {{.*}}register tiles of {{[0-9]+}}x{{[0-9]+}} vectors of 4 with {{[0-9]+}} packed operands

// Both parts of the sum read both parts of A: they share what is packed of it.
// SHARED-LABEL: tessera: solve
// SHARED-COUNT-2: load_A_{{.*}}(
// SHARED-NOT: load_A_
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MAIN
#define F(NAME) NAME##_plain
#else
#define F(NAME) NAME
#endif

/* C = B * A, row by row of the transposed, A symmetric, its UPPER or lower triangle at hand; a number is two doubles. */
void F(product)(int m, int n, bool upper, double (*restrict a)[n + 1][2], double (*restrict b)[m + 1][2],
                double (*restrict c)[m + 1][2])
{
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) {
      c[j][i][0] = a[j][j][0] * b[j][i][0] - a[j][j][1] * b[j][i][1];
      c[j][i][1] = a[j][j][0] * b[j][i][1] + a[j][j][1] * b[j][i][0];
    }
    for (int k = 0; k < j; k++) {
      double re, im;
      if (upper) {
        re = 2 * a[j][k][0] - a[j][k][1];
        im = 2 * a[j][k][1] + a[j][k][0];
      } else {
        re = 2 * a[k][j][0] - a[k][j][1];
        im = 2 * a[k][j][1] + a[k][j][0];
      }
      for (int i = 0; i < m; i++) {
        c[j][i][0] += re * b[k][i][0] - im * b[k][i][1];
        c[j][i][1] += re * b[k][i][1] + im * b[k][i][0];
      }
    }
  }
}

/* b[j] = inverse of the transposed upper A * alpha * b[j], for each j */
void F(solve)(int m, int n, const double *restrict alpha, double (*restrict a)[m + 1][2], double (*restrict b)[m + 1][2])
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      double re = alpha[0] * b[j][i][0] - alpha[1] * b[j][i][1], im = alpha[0] * b[j][i][1] + alpha[1] * b[j][i][0];
      for (int k = 0; k < i; k++) {
        re -= a[i][k][0] * b[j][k][0] - a[i][k][1] * b[j][k][1];
        im -= a[i][k][0] * b[j][k][1] + a[i][k][1] * b[j][k][0];
      }
      b[j][i][0] = re * a[i][i][0] - im * a[i][i][1];
      b[j][i][1] = re * a[i][i][1] + im * a[i][i][0];
    }
}

#ifdef MAIN
void product(int m, int n, bool upper, double (*restrict a)[n + 1][2], double (*restrict b)[m + 1][2],
             double (*restrict c)[m + 1][2]);
void solve(int m, int n, const double *restrict alpha, double (*restrict a)[m + 1][2], double (*restrict b)[m + 1][2]);

/* SIZE numbers, each in [0, FACTOR) */
static void *numbers(int size, double factor)
{
  double *all = malloc(2 * (size_t)size * sizeof(*all));
  for (int i = 0; i < 2 * size; i++)
    all[i] = factor * (i * 37 % 101) / 101;
  return all;
}

static bool differs(const void *x, const void *y, int size)
{
  return memcmp(x, y, 2 * (size_t)size * sizeof(double)) != 0;
}

int main(void)
{
  static const int sizes[] = {0, 1, 2, 3, 7, 16, 31, 64, 97, 130};
  const double alpha[] = {0.5, -0.25};
  for (int x = 0; x < 10; x++)
    for (int y = 0; y < 10; y++) {
      int m = sizes[x], n = sizes[y], all = (n + 1) * (m + 1);
      void *a = numbers((n + 1) * (n + 1), 0.1), *b = numbers(all, 1), *c = numbers(all, 1), *d = numbers(all, 1);
      void *l = numbers((m + 1) * (m + 1), 0.1), *e = numbers(all, 1), *f = numbers(all, 1);
      for (int upper = 0; upper < 2; upper++) {
        product(m, n, upper, a, b, c);
        product_plain(m, n, upper, a, b, d);
        if (differs(c, d, all))
          return printf("product of %d x %d differs\n", m, n), 1;
      }
      solve(m, n, alpha, l, e);
      solve_plain(m, n, alpha, l, f);
      if (differs(e, f, all))
        return printf("solve of %d x %d differs\n", m, n), 1;
      free(a), free(b), free(c), free(d), free(l), free(e), free(f);
    }
  return 0;
}
#endif
