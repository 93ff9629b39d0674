// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subscripts read from memory: what is read may be any element of the array, what is written too.
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

TEST void test_gather(int n, double *restrict y, double *restrict x, const int *restrict idx, double a[restrict n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      y[j] += a[j][i] * x[idx[i]];
}

TEST void test_scatter(int n, double *restrict y, double *restrict x, const int *restrict idx, double a[restrict n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      y[idx[i]] += a[j][i];
      x[j] += a[j][i];
    }
}

static int bins[256];

/* The bins are a global array, and their subscripts have a small type: they are checked for overlap. */
TEST void test_histogram(int n, const unsigned char *img, int m, double *s, double a[n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      bins[img[i * m + j]]++;
      s[j] += a[j][i];
    }
}

TEST void test_small_type(int n, const unsigned char *img, int m, int *counts, int a[n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      counts[img[i * m + j]]++;
      a[j][i] += j;
    }
}

static double a[N][N], x[N], y[N];
static int idx[N], k[N][N];
static unsigned char img[N * N];

int main(void)
{
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      a[i][j] = i * 3 + j % 7;
      img[i * N + j] = i * j + 3;
    }
    idx[i] = (i * i * 7 + 3) % N;
    x[i] = i;
    y[i] = 2 * i;
  }
  for (int n = -1; n <= N; n += 13) {
    test_gather(n, y, x, idx, a);
    test_scatter(n, y, x, idx, a);
    test_histogram(n, img, N, y, a);
    test_histogram(n, (unsigned char *)bins, 1, y, a);
    test_small_type(n, img, N, bins, k);
    test_small_type(n, img, N, k[0], k);
    printf("%d %g %g %g %g %g\n", n, sum(a, sizeof(a)), sum(x, sizeof(x)), sum(y, sizeof(y)), sum(bins, sizeof(bins)),
           sum(k, sizeof(k)));
  }
}
