// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that make one of Tessera's own forms of the loops that they name: register_tiles, lanes, chains, time_strips, panels.
// The program computes the same, or the row says what shape it takes.
//
// REQUIRES: native-avx2
// RUN: rm -rf %t && %split-file %s %t && %clang -O2 -march=x86-64-v3 %t/a.c -lm -o %t/plain
// DEFINE: %{commands} = legal
// DEFINE: %{compile} = %clang -O2 -march=x86-64-v3 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/%{commands} %t/a.c -lm
// RUN: %{compile} -o %t/a -mllvm -tessera-print=ast 2> %t/ast
// RUN: %t/plain > %t/expected && %t/a | diff %t/expected -
// RUN: %FileCheck %s --check-prefix=AST --input-file=%t/ast
// REDEFINE: %{commands} = registers
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=REGISTERS
// REDEFINE: %{commands} = lanes
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=LANES
// REDEFINE: %{commands} = chains
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=CHAINS
// REDEFINE: %{commands} = strips
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=STRIPS
// REDEFINE: %{commands} = panels
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=PANELS

// AST-LABEL: tessera: product.0
// AST:         // registers
// AST-LABEL: tessera: sums.0
// AST:         // lockstep
// AST-LABEL: tessera: seidel.0
// AST:         // chain
// AST-LABEL: tessera: sor.0
// AST:         // strips
// AST-LABEL: tessera: orthogonal.0
// AST:         // allocate {{.*}}_buffer

// REGISTERS: registers:2:3: A.register_tiles: these loops of S0 have no register tiles
// LANES: lanes:2:3: A.lanes: iterations of this loop of S0 can't be lanes
// CHAINS: chains:2:3: C.chains: no chains: they are of one statement in loops outside of all others
// STRIPS: strips:2:3: A.time_strips: no strips: they are of three loops or more outside of all others
// PANELS: panels:2:3: panels: no panels: the outermost loop isn't that of a factorisation by columns

//--- legal
product:
  C.register_tiles(i, j, k)
sums:
  D.lanes(i)
seidel:
  A.skew(t, i, 1); A.skew(t, j, 1); A.skew(i, j, 1)
  A.chains(t, i, j)
sor:
  A.skew(t, i, 1); A.skew(t, j, 1); A.skew(i, j, 1)
  A.time_strips(t, i, j)
orthogonal:
  panels()
//--- registers
seidel:
  A.register_tiles(t, i, j)
//--- lanes
sor:
  A.lanes(t)
//--- chains
product:
  C.chains(i, j, k)
//--- strips
seidel:
  A.time_strips(t, i, j)
//--- panels
sums:
  panels()
//--- a.c
#include <math.h>
#include <stdio.h>

#define N 133
static double A[N][N], B[N][N], C[N][N], Q[N][N], R[N][N], D[N][N];

__attribute__((noinline)) void product(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}

__attribute__((noinline)) void sums(int n)
{
  for (int i = 0; i < n; i++) {
    double u = 0;
    for (int j = 0; j < n; j++)
      D[i][j] = u = 0.5 * u + A[i][j];
  }
}

__attribute__((noinline)) void seidel(int steps, int n)
{
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = (A[i - 1][j] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j]) / 5.0;
}

__attribute__((noinline)) void sor(int steps, int n)
{
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = A[i][j] * 0.25 + (A[i - 1][j - 1] + A[i - 1][j + 1] + A[i + 1][j] + A[i][j - 1]) * 0.125;
}

/* by modified Gram-Schmidt */
__attribute__((noinline)) void orthogonal(int n)
{
  for (int k = 0; k < n; k++) {
    double norm = 0;
    for (int i = 0; i < n; i++)
      norm += B[i][k] * B[i][k];
    R[k][k] = sqrt(norm);
    for (int i = 0; i < n; i++)
      Q[i][k] = B[i][k] / R[k][k];
    for (int j = k + 1; j < n; j++) {
      R[k][j] = 0;
      for (int i = 0; i < n; i++)
        R[k][j] += Q[i][k] * B[i][j];
      for (int i = 0; i < n; i++)
        B[i][j] = B[i][j] - Q[i][k] * R[k][j];
    }
  }
}

static void print(const double *at, long n)
{
  for (long i = 0; i < n; i++)
    printf("%a\n", at[i]);
}

int main(void)
{
  for (int i = 0; i < N * N; i++) {
    (&A[0][0])[i] = (i * 7 % 31) * 0.25;
    (&B[0][0])[i] = (i * 5 % 17) * 0.5 + (i % (N + 1) == 0) * 9;
  }
  product(N);
  product(7);
  sums(N);
  seidel(20, N);
  seidel(3, 6);
  sor(20, N);
  orthogonal(N);
  orthogonal(5);
  print(&A[0][0], N * N);
  print(&B[0][0], N * N);
  print(&C[0][0], N * N);
  print(&Q[0][0], N * N);
  print(&D[0][0], N * N);
}
