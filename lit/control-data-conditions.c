// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions on data: their branches are copied as they are, with all forms of them. Affine ones with shared blocks are
// split into domains.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only \
// RUN:   -Rpass=tessera -Rpass-missed=tessera %s -o %t 2>&1 | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-tile-sizes=4 %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK-COUNT-9: loop nest transformed

#include <stdio.h>
#include <stdlib.h>

#define N 37

__attribute__((noinline)) void test_guarded(int n, double A[N][N], double B[N][N])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (A[j][i] > 0)
        B[j][i] = A[j][i] * 2;
}

__attribute__((noinline)) void test_chain(int n, double A[N][N], double B[N][N])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (A[j][i] > 3 && B[j][i] < 5) {
        B[j][i] = A[j][i] * 2;
      } else if (A[j][i] < -3 || B[i][j] > 2) {
        B[j][i] += 1;
        if (i > j)
          A[j][i] -= 1;
      } else {
        continue;
      }
      A[j][i] += B[i][j];
    }
}

__attribute__((noinline)) void test_data_switch(int n, int *restrict a, const int *restrict kind)
{
  for (int i = 0; i < n; i++)
    switch (kind[i]) {
    case 1: a[i] = 5; break;
    case 2: a[i] = 8; break;
    case 3: a[i] += 3;
    case 4: a[i] *= 2; break;
    case 9: a[i] = 7;
    }
}

__attribute__((noinline)) void test_affine_switch(int n, double A[N][N], double B[N][N])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      switch (i % 4) {
      case 0: A[j][i] = 1; break;
      case 1: A[j][i] += B[i][j];
      case 2: B[j][i] -= 1; break;
      default: A[j][i] = B[j][i];
      }
}

__attribute__((noinline)) double test_extremum(int n, double A[N][N], double *max)
{
  double m = -1e300, c = 0;
  int at = -1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double x = A[j][i];
      if (x > m) {
        m = x;
        at = i * n + j;
      }
      double y = x < 0 ? -x : x;
      if (y > 10)
        c += y;
      else if (y > 5)
        c -= 1;
    }
  *max = m;
  return c + at;
}

__attribute__((noinline)) void test_shared_else(int n, double A[N][N], double B[N][N])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if ((i * 7 + j) % 3 == 0 && (i + j * 5) % 4 == 1)
        A[i][j] = B[j][i];
      else
        A[i][j] = A[i][j] * 2 + B[j][i];
}

/* Values cross from one conditional part to the next, and several edges of a switch meet. */
__attribute__((noinline)) int test_values(int n, const int *restrict kind, int A[N][N])
{
  int last = -1, state = 0;
  for (int i = 0; i < n; i++) {
    int v;
    switch (kind[i] & 7) {
    case 0:
    case 3:
    case 5: v = 4; break;
    case 1: v = state + i; break;
    case 6: v = kind[i]; last = i; break;
    default: v = -i;
    }
    if (v > 3)
      state = v ^ state;
    for (int j = 0; j < n; j++)
      if (A[j][i] > v)
        A[j][i] -= state;
      else if (A[j][i] == v)
        A[j][i] = j;
  }
  return last * 100 + state;
}

/* An affine condition around a conditional part, and inside one. */
__attribute__((noinline)) void test_nested(int n, double A[N][N], double B[N][N])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (j > i) {
        if (A[j][i] > 0) {
          B[j][i] += A[j][i];
          if (j % 3 == 1)
            B[j][i] *= 3;
        }
      } else {
        B[j][i] = A[i][j] > 1 ? i : B[j][i];
      }
}

/* A stencil: guarded stores depend on one another. */
__attribute__((noinline)) void test_stencil(int n, int t, double A[N][N])
{
  for (int k = 0; k < t; k++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        if (A[i][j - 1] + A[i - 1][j] > A[i][j + 1])
          A[i][j] = A[i + 1][j] - A[i][j - 1];
}

static double A[N][N], B[N][N];
static int a[N], k[N], C[N][N];

static void fill(int s)
{
  srand(s);
  for (int i = 0; i < N; i++) {
    a[i] = rand() % 10;
    k[i] = rand() % 11;
    for (int j = 0; j < N; j++) {
      A[i][j] = rand() % 40 - 20;
      B[i][j] = rand() % 40 - 20;
      C[i][j] = rand() % 20;
    }
  }
}

static void report(const char *name)
{
  double s = 0;
  for (int i = 0; i < N; i++) {
    s = s * 1.01 + a[i];
    for (int j = 0; j < N; j++)
      s = s * 1.001 + A[i][j] + 3 * B[i][j] + 2 * C[i][j];
  }
  printf("%s %.17g\n", name, s);
}

#define TEST(CALL) \
  fill(__LINE__); \
  CALL; \
  report(#CALL)

int main(void)
{
  for (int n = 0; n <= N; n += 9) {
    double m;
    TEST(test_guarded(n, A, B));
    TEST(test_chain(n, A, B));
    TEST(test_data_switch(n, a, k));
    TEST(test_affine_switch(n, A, B));
    TEST(double r = test_extremum(n, A, &m));
    printf("%g %g\n", r, m);
    TEST(test_shared_else(n, A, B));
    TEST(printf("%d\n", test_values(n, k, C)));
    TEST(test_nested(n, A, B));
    TEST(test_stencil(n, 7, A));
  }
}
