// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Innermost loops whose trip count depends on data: each is one statement, copied with its loop.
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

// CHECK-COUNT-5: loop nest transformed

#include <stdio.h>

#define N 64
#define TEST __attribute__((noinline))

static double sum(const void *p, long n)
{
  const unsigned char *c = p;
  unsigned long h = 1469;
  for (long i = 0; i < n; i++)
    h = (h ^ c[i]) * 1099511628211u;
  return h % 1000000007;
}

TEST void test_rows(int n, const int *restrict row, const int *restrict col, const double *restrict val,
                    const double *restrict x, double *restrict y, double a[restrict n][n])
{
  for (int i = 0; i < n; i++) {
    for (int p = row[i]; p < row[i + 1]; p++)
      y[i] += val[p] * x[col[p]];
    for (int j = 0; j < n; j++)
      a[j][i] += y[i];
  }
}

/* Values leave the inner loop. */
TEST void test_sums(int n, const int *restrict row, const int *restrict col, const double *restrict val,
                    const double *restrict x, double *restrict y, double a[restrict n][n])
{
  for (int i = 0; i < n; i++) {
    double s = 0;
    int last = -1;
    for (int p = row[i]; p < row[i + 1]; p++) {
      s += val[p] * x[col[p]];
      if (col[p] > 3)
        last = p;
    }
    y[i] = s + last;
    for (int j = 0; j < n; j++)
      a[j][i] += s;
  }
}

TEST int test_bits(int n, const int *restrict d, int a[restrict n][n])
{
  int total = 0;
  for (int i = 0; i < n; i++) {
    unsigned x = d[i];
    int bits = 0;
    do {
      bits++;
      x &= x - 1;
    } while (x);
    for (int j = 0; j < n; j++)
      a[j][i] += bits;
    total += bits;
  }
  return total;
}

TEST void test_guarded(int n, const int *restrict d, double a[restrict n][n], double b[restrict n][n])
{
  for (int i = 0; i < n; i++)
    if (d[i] & 1)
      for (int j = 0; j < n; j++)
        a[j][i] += b[i][j];
}

/* The element that the inner loop writes is the same in all its iterations. */
TEST int test_halves(int n, const int *restrict d, int a[restrict n][n])
{
  int total = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int steps = 0;
      for (int x = d[j]; x > 1; x /= 2) {
        steps++;
        a[j][i] ^= x;
      }
      a[j][i] += steps;
      if (steps > 2)
        total += i;
    }
  return total;
}

static double a[N][N], b[N][N], x[N], y[N], val[N * 4];
static int k[N][N], row[N + 1], col[N * 4], d[N];

int main(void)
{
  for (int i = 0; i < N; i++) {
    x[i] = i;
    d[i] = i * i * 77 % 1000 + 1;
    row[i + 1] = row[i] + (i * 5 % 4);
    for (int j = 0; j < N; j++) {
      a[i][j] = i * 3 + j % 7;
      b[i][j] = i - j;
      k[i][j] = i ^ j;
    }
  }
  for (int i = 0; i < 4 * N; i++) {
    col[i] = i * 7 % N;
    val[i] = i % 5;
  }
  for (int n = -1; n <= N; n += 13) {
    test_rows(n, row, col, val, x, y, a);
    test_sums(n, row, col, val, x, y, a);
    int bits = test_bits(n, d, k);
    test_guarded(n, d, a, b);
    int halves = test_halves(n, d, k);
    printf("%d %d %d %g %g %g\n", n, bits, halves, sum(a, sizeof(a)), sum(y, sizeof(y)), sum(k, sizeof(k)));
  }
}
