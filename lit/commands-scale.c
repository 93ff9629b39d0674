// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The row scale: a statement of half the resolution runs in every second iteration, so that it may share the loop of what reads
// it. Each computes the same, or is refused with a dependence that forbids it.
//
// RUN: rm -rf %t && %split-file %s %t && %clang -O2 %t/a.c -o %t/plain && %t/plain > %t/expected
// DEFINE: %{commands} = legal
// DEFINE: %{compile} = %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/%{commands} %t/a.c
// RUN: %{compile} -o %t/a -mllvm -tessera-print=ast 2> %t/ast && %t/a | diff %t/expected -
// RUN: %FileCheck %s --check-prefix=AST --input-file=%t/ast
// REDEFINE: %{commands} = early
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=EARLY
// REDEFINE: %{commands} = zero
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=ZERO

// AST-LABEL: tessera: pyramid.0
// AST:         for (int c0 = 0; c0 < 2 * n; c0 += 1)
// AST-NEXT:      for (int c1 = 0; c1 < m; c1 += 1) {
// AST-NEXT:        if (c0 % 2 == 0)
// AST-NEXT:          S0(c0 / 2, c1);
// AST-NEXT:        S1(c0, c1);

// What has a loop for itself runs in each iteration of that.
// AST-LABEL: tessera: alone.0
// AST:         for (int c0 = 0; c0 < n; c0 += 1)
// AST-NEXT:      for (int c1 = 0; c1 < m; c1 += 1)
// AST-NEXT:        S0(c0, c1);

// EARLY: early:3:3: B.scale: not legal: array B{{.*}}: S0[{{.*}}] of line {{.*}} must run before S1[{{.*}}] of line
// ZERO: zero:2:14: B.scale: '1' is no factor: expected an integer from 2 to 1024

//--- legal
pyramid:
  B.scale(i, 2)
  B.fuse(C, j)
  only
alone:
  A.scale(i, 3)
  only
//--- early
both:
  # the statement that reads runs in every second iteration, that which writes too late
  B.scale(i, 2)
  only
//--- zero
both:
  B.scale(i, 1)
//--- a.c
#include <stdio.h>

#define N 67
#define M 45
static double A[2 * N][M], B[N][M], C[2 * N][M];

__attribute__((noinline)) void pyramid(int n, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      B[i][j] = 0.5 * (A[2 * i][j] + A[2 * i + 1][j]);
  for (int i = 0; i < 2 * n; i++)
    for (int j = 0; j < m; j++)
      C[i][j] = A[i][j] - B[i / 2][j];
}

__attribute__((noinline)) void alone(int n, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[i][j] = A[i][j] * 0.5 + C[i][j];
}

/* a row that is read in the iteration that writes it */
__attribute__((noinline)) void both(int n, int m)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      B[i][j] = A[i][j] + 1.0;
    for (int j = 0; j < m; j++)
      C[i][j] = B[i][m - 1 - j] * 3.0;
  }
}

static void print(const double *at, long n)
{
  for (long i = 0; i < n; i++)
    printf("%a\n", at[i]);
}

int main(void)
{
  for (int i = 0; i < 2 * N * M; i++)
    (&A[0][0])[i] = (i * 7 % 31) * 0.25;
  for (int n = N; n > 0; n /= 2)
    for (int m = M; m > 0; m /= 3) {
      pyramid(n, m);
      alone(n, m);
      both(n, m);
    }
  print(&A[0][0], 2 * N * M);
  print(&B[0][0], N * M);
  print(&C[0][0], 2 * N * M);
}
