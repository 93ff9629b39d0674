// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// memset, memcpy and struct assignments in a nest: each call writes a range of elements, and stays a call.
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

// CHECK-COUNT-4: loop nest transformed

#include <stdio.h>
#include <string.h>

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

struct point {
  double x, y, z;
};

TEST void test_zero_rows(int n, double c[n][n], double a[n][n], double b[n][n])
{
  for (int i = 0; i < n; i++) {
    memset(c[i], 0, n * sizeof(double));
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
  }
}

/* Whole arrays and parts of them, between nests. */
TEST void test_zero_all(int n, double *c, double *a, double *b)
{
  if (n < 0)
    return;
  memset(c, 0, sizeof(double) * n * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  memset(b, 0, n * sizeof(double));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[j * n + i] += c[i * n + j];
}

TEST void test_copy_rows(int n, double c[n][n], double a[n][n])
{
  for (int i = 0; i < n; i++) {
    memmove(c[i], a[n - 1 - i], n * sizeof(double));
    for (int j = 0; j < n; j++)
      a[j][i] = c[i][j] + 1;
  }
}

TEST void test_assign(int n, struct point a[n][n], struct point b[n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[j][i] = b[i][j];
      a[j][i].y += 1;
    }
}

static double a[N][N], b[N][N], c[N][N];
static struct point p[N][N], q[N][N];

int main(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = i * 3 + j % 7;
      b[i][j] = i - j * 5 % 11;
      c[i][j] = i ^ j;
      p[i][j] = (struct point){i, j, i * j};
      q[i][j] = (struct point){j, i, i + j};
    }
  for (int n = -1; n <= N; n += 13) {
    test_zero_rows(n, c, a, b);
    test_zero_all(n, &c[0][0], &a[0][0], &b[0][0]);
    test_copy_rows(n, c, a);
    if (n > 1)
      test_copy_rows(n - 1, a, a);
    test_assign(n, p, q);
    test_assign(n, q, q);
    printf("%d %g %g %g %g %g\n", n, sum(a, sizeof(a)), sum(b, sizeof(b)), sum(c, sizeof(c)), sum(p, sizeof(p)),
           sum(q, sizeof(q)));
  }
}
