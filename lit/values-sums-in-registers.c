// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum in a register that is stored to an array element in the end lives in that element, and the loop around it may move;
// not if something else may see the element in between.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only \
// RUN:   -mllvm -tessera-dump=%t.d -Rpass=tessera -Rpass-missed=tessera %s -o %t 2>&1 \
// RUN:   | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: cat %t.d/test_zero.0.scop | %FileCheck %s --check-prefix=MOVED
// RUN: cat %t.d/test_update.0.scop | %FileCheck %s --check-prefix=MOVED
// RUN: cat %t.d/test_scaled.0.scop | %FileCheck %s --check-prefix=MOVED
// RUN: cat %t.d/test_guarded.0.scop | %FileCheck %s --check-prefix=MOVED
// RUN: cat %t.d/test_solve.0.scop | %FileCheck %s --check-prefix=MOVED
// RUN: cat %t.d/test_seen.0.scop | %FileCheck %s --check-prefix=KEPT
// RUN: cat %t.d/test_sometimes.0.scop | %FileCheck %s --check-prefix=KEPT
// RUN: cat %t.d/test_added.0.scop | %FileCheck %s --check-prefix=KEPT
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-tile-sizes=4 %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK-COUNT-11: loop nest transformed
// MOVED-NOT: read: "{{.*}} -> {{(phi|val)}}
// KEPT: read: "{{.*}} -> {{(phi|val)}}

#include <stdio.h>
#include <stdlib.h>

#define N 37

__attribute__((noinline)) void test_zero(int n, int m, double A[N][N], double B[N][N], double C[N][N])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < m; k++)
        s += A[i][k] * B[k][j];
      C[i][j] = s;
    }
}

__attribute__((noinline)) void test_update(int n, int m, double A[N][N], double B[N][N], double C[N][N])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = C[i][j];
      for (int k = 0; k < m; k++)
        s += A[i][k] * B[k][j];
      C[i][j] = s;
    }
}

/* The last store computes: the sum itself may still wait there. */
__attribute__((noinline)) void test_scaled(int n, int m, double A[N][N], double B[N][N], double C[N][N])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 1;
      for (int k = 0; k < m; k++)
        s = A[i][k] * B[k][j] - s;
      C[i][j] = 2 * s + i;
    }
}

/* What the condition leaves as it is is a copy. */
__attribute__((noinline)) void test_guarded(int n, int m, double A[N][N], double B[N][N], double C[N][N])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < m; k++)
        if (A[i][k] > 0)
          s += B[k][j];
      C[i][j] = s;
    }
}

/* As in LU: other elements of the array are read in between. */
__attribute__((noinline)) void test_solve(int n, double A[N][N])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      double w = A[i][j];
      for (int k = 0; k < j; k++)
        w -= A[i][k] * A[k][j];
      A[i][j] = w;
    }
}

/* The element is read in between. */
__attribute__((noinline)) void test_seen(int n, double A[N][N], double C[N][N])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += A[i][k] * C[k][j];
      C[i][j] = s;
    }
}

/* The element isn't written in any case. */
__attribute__((noinline)) void test_sometimes(int n, double A[N][N], double C[N][N])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += A[i][k] * A[k][j];
      if (s > 100)
        C[i][j] = s;
    }
}

/* The store needs the old value, too. */
__attribute__((noinline)) void test_added(int n, double A[N][N], double C[N][N])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += A[i][k] * A[k][j];
      C[i][j] += s;
    }
}

/* Two levels of sums, and a sum whose last value is used once more. */
__attribute__((noinline)) double test_levels(int n, double A[N][N], double B[N][N], double *x)
{
  double last = 0;
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++) {
      double t = 0;
      for (int k = j; k < n; k++)
        t += A[i][k] * B[k][j];
      B[i][j] = t;
      s += t;
    }
    x[i] = s;
    last = s;
  }
  return last;
}

/* The condition reads the element that the value will go to. */
__attribute__((noinline)) void test_choose(int n, double A[N][N], double B[N][N])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      B[j][i] = A[i][j] > 1 ? i : B[j][i] > 3 ? B[j][i] - 1 : B[j][i];
}

/* A maximum, an integer and a position. */
__attribute__((noinline)) void test_maximum(int n, int C[N][N], int *most, int *at)
{
  for (int i = 0; i < n; i++) {
    int m = C[0][i], p = 0;
    for (int k = 1; k < n; k++)
      if (C[k][i] > m) {
        m = C[k][i];
        p = k;
      }
    most[i] = m;
    at[i] = p;
  }
}

static double A[N][N], B[N][N], C[N][N], x[N];
static int D[N][N], most[N], at[N];

static void fill(int s)
{
  srand(s);
  for (int i = 0; i < N; i++) {
    x[i] = most[i] = at[i] = 0;
    for (int j = 0; j < N; j++) {
      A[i][j] = rand() % 9 - 4;
      B[i][j] = rand() % 9 - 4;
      C[i][j] = rand() % 9 - 4;
      D[i][j] = rand() % 50;
    }
  }
}

static void report(const char *name)
{
  double s = 0;
  for (int i = 0; i < N; i++) {
    s = s * 1.01 + x[i] + most[i] + 2 * at[i];
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
    for (int m = 0; m <= N; m += 12) {
      TEST(test_zero(n, m, A, B, C));
      TEST(test_zero(n, m, A, B, B));
      TEST(test_update(n, m, A, B, C));
      TEST(test_update(n, m, A, B, A));
      TEST(test_scaled(n, m, A, B, C));
      TEST(test_guarded(n, m, A, B, C));
    }
    TEST(test_solve(n, A));
    TEST(test_seen(n, A, C));
    TEST(test_sometimes(n, A, C));
    TEST(test_added(n, A, C));
    TEST(x[0] += test_levels(n, A, B, x));
    TEST(test_choose(n, A, B));
    TEST(test_maximum(n, D, most, at));
  }
}
