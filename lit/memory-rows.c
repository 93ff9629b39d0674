// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of pointers to rows: where the rows are in order and apart, and the table is apart from them, they are an array.
//
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only \
// RUN:   -Rpass=tessera -Rpass-missed=tessera %s -o %t 2>&1 | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-tile-sizes=4 %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-schedule=pluto %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK-COUNT-6: loop nest transformed

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 40
#define TEST __attribute__((noinline))

TEST void test_product(int n, double **c, double **a, double **b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

TEST void test_columns(int n, double **a, double **b, double *restrict s)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[j][i] = b[i][j] + s[i];
}

TEST void test_stencil(int n, double **a, double **b)
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1];
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      a[i][j] = b[i][j];
}

TEST void test_zero(int n, double **a, double **b)
{
  for (int i = 0; i < n; i++) {
    memset(a[i], 0, n * sizeof(double));
    for (int j = 0; j < n; j++)
      a[i][j] += b[j][i];
  }
}

TEST void test_triangle(int n, double **a)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      a[j][i] = a[i][j] * 2;
}

/* Bytes may be those of the table. */
TEST void test_bytes(int n, int m, unsigned char **a)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      a[j][i] += i;
}

static double hash(double **r, int n)
{
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s = s * 1.0001 + r[i][j] * (i + 3 * j);
  return s;
}

/* Rows that ascend, descend, are mixed, the same in pairs, or overlap. */
static double **make(int n, int order)
{
  double **r = malloc(n * sizeof(*r)), *p = calloc(n * (n + 2), sizeof(double));
  for (int i = 0; i < n; i++) {
    const int at[] = {i * (n + 2), (n - 1 - i) * (n + 2), i * 7 % n * (n + 2), i / 2 * (n + 2), i};
    r[i] = p + at[order];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      r[i][j] = (i * 3 + j * 5) % 17 - 4;
  return r;
}

int main(void)
{
  double s[N];
  for (int i = 0; i < N; i++)
    s[i] = i;
  for (int order = 0; order < 25; order++)
    for (int n = -1; n <= N; n += n < 2 ? 1 : 19) {
      int size = n > 0 ? n : 1;
      double **a = make(size, order % 5), **b = make(size, order / 5), **c = make(size, 0);
      test_product(n, c, a, b);
      test_product(n, a, a, b);
      test_columns(n, a, b, s);
      test_columns(n, a, a, s);
      printf("%d %d %g %g %g\n", order, n, hash(a, size), hash(b, size), hash(c, size));
      test_stencil(n, b, c);
      test_zero(n, b, a);
      test_zero(n, a, a);
      test_triangle(n, b);
      printf("%g %g %g\n", hash(a, size), hash(b, size), hash(c, size));
      test_bytes(n, n, (unsigned char **)b);
      printf("%g\n", hash(b, size));
    }
  /* The third row is the table's last element, which changes before it is used. */
  static unsigned char data[1024];
  static union {
    unsigned char *row[4];
    unsigned char byte[32];
  } t;
  for (int i = 0; i < 4; i++)
    t.row[i] = data + 16 * i;
  t.row[2] = t.byte + 24;
  test_bytes(4, 2, t.row);
  for (int i = 0; i < 512; i++)
    printf("%d ", data[i]);
}
