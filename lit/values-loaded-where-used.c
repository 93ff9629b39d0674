// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value that is loaded in front of a loop is loaded in it, so that the loop may move outwards; not where the element may
// have changed by then.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only \
// RUN:   -mllvm -tessera-dump=%t.d -Rpass=tessera -Rpass-missed=tessera %s -o %t 2>&1 \
// RUN:   | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: cat %t.d/test_jki.0.scop | %FileCheck %s --check-prefix=MOVED
// RUN: cat %t.d/test_two_loops.0.scop | %FileCheck %s --check-prefix=MOVED
// RUN: cat %t.d/test_guarded.0.scop | %FileCheck %s --check-prefix=MOVED
// RUN: cat %t.d/test_elsewhere.0.scop | %FileCheck %s --check-prefix=MOVED
// RUN: cat %t.d/test_changed.0.scop | %FileCheck %s --check-prefix=KEPT
// RUN: cat %t.d/test_maybe_changed.0.scop | %FileCheck %s --check-prefix=KEPT
// RUN: cat %t.d/test_divided.0.scop | %FileCheck %s --check-prefix=KEPT
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-tile-sizes=4 %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK-COUNT-8: loop nest transformed
// MOVED-NOT: read: "{{.*}} -> {{(phi|val)}}
// KEPT: read: "{{.*}} -> {{(phi|val)}}

#include <stdio.h>
#include <stdlib.h>

#define N 37

__attribute__((noinline)) void test_jki(int n, double alpha, double A[N][N], double B[N][N], double C[N][N])
{
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++) {
      double t = alpha * B[k][j];
      for (int i = 0; i < n; i++)
        C[i][j] += t * A[i][k];
    }
}

/* Used in two loops and at two depths. */
__attribute__((noinline)) void test_two_loops(int n, double A[N][N], double B[N][N], double *x)
{
  for (int i = 0; i < n; i++) {
    double t = x[i] + A[i][i];
    for (int j = 0; j < n; j++)
      B[j][i] = t * j;
    for (int j = 0; j < i; j++)
      for (int k = 0; k < j; k++)
        B[k][j] -= t;
  }
}

__attribute__((noinline)) void test_guarded(int n, double A[N][N], double B[N][N], double *x)
{
  for (int i = 0; i < n; i++) {
    double t = x[i];
    for (int j = 0; j < n; j++)
      if (A[j][i] > t)
        B[j][i] = t;
  }
}

/* The array is written, but not this element before its use. */
__attribute__((noinline)) void test_elsewhere(int n, double A[N][N])
{
  for (int i = 1; i < n; i++)
    for (int k = 0; k < i; k++) {
      double t = A[i][k];
      for (int j = i; j < n; j++)
        A[i][j] -= t * A[k][j];
    }
}

/* The element is written by the loop. */
__attribute__((noinline)) void test_changed(int n, double *x, double B[N][N])
{
  for (int i = 0; i < n; i++) {
    double t = x[i];
    for (int j = 0; j < n; j++) {
      x[j] += t;
      B[j][i] += t;
    }
  }
}

__attribute__((noinline)) void test_maybe_changed(int n, double *x, double B[N][N])
{
  for (int i = 0; i < n; i++) {
    double t = x[i];
    for (int j = 0; j < n; j++) {
      if (B[i][j] > 3)
        x[i] = j;
      B[i][j] += t;
    }
  }
}

/* Dear to compute. */
__attribute__((noinline)) void test_divided(int n, double *x, double B[N][N])
{
  for (int i = 0; i < n; i++) {
    double t = 1 / x[i];
    for (int j = 0; j < n; j++)
      B[j][i] *= t;
  }
}

/* The pointer may be to the array that is written. */
__attribute__((noinline)) void test_overlap(int n, int *to, const int *from)
{
  for (int i = 0; i < n; i++) {
    int t = from[i];
    for (int j = 0; j < n; j++)
      to[i + j] += t;
  }
}

static double A[N][N], B[N][N], C[N][N], x[N];
static int y[3 * N];

static void fill(int s)
{
  srand(s);
  for (int i = 0; i < N; i++) {
    x[i] = 1 + rand() % 9;
    y[i] = y[i + N] = y[i + 2 * N] = rand() % 9;
    for (int j = 0; j < N; j++) {
      A[i][j] = rand() % 9 - 4;
      B[i][j] = rand() % 9 - 4;
      C[i][j] = rand() % 9 - 4;
    }
  }
}

static void report(const char *name)
{
  double s = 0;
  for (int i = 0; i < N; i++) {
    s = s * 1.01 + x[i] + y[i] + 2 * y[N + i] + 3 * y[2 * N + i];
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
  for (int n = 0; n <= N; n += n < 4 ? 1 : 11) {
    TEST(test_jki(n, 1.5, A, B, C));
    TEST(test_jki(n, 1.5, A, B, B));
    TEST(test_two_loops(n, A, B, x));
    TEST(test_guarded(n, A, B, x));
    TEST(test_guarded(n, A, B, &A[3][3]));
    TEST(test_elsewhere(n, A));
    TEST(test_changed(n, x, B));
    TEST(test_maybe_changed(n, x, B));
    TEST(test_divided(n, x, B));
    TEST(test_overlap(n, y, y + 80));
    TEST(test_overlap(n, y, y + 1));
  }
}
