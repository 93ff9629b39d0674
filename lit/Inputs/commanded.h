/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nests for users' schedules: each changes A, B or x. `main` runs all of them and prints what is left. */
#include <stdio.h>

#define N 67
#define M 45
static double A[N][M], B[N][M], T[M], x[N];

/* all loops are free */
__attribute__((noinline)) void product(int n, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      B[i][j] = A[i][j] * 3.0;
}

/* sweeps along both dimensions */
__attribute__((noinline)) void sweep(int n, int m)
{
  for (int i = 1; i < n; i++)
    for (int j = 1; j < m; j++)
      A[i][j] = 0.5 * A[i - 1][j] + 0.25 * A[i][j - 1];
}

/* a dependence from the iteration before, one column on */
__attribute__((noinline)) void stencil(int n, int m)
{
  for (int i = 1; i < n; i++)
    for (int j = 0; j < m - 1; j++)
      A[i][j] += 0.5 * A[i - 1][j + 1];
}

/* a sum, from first to last */
__attribute__((noinline)) void sum(int n, int m)
{
  for (int i = 0; i < n; i++) {
    x[i] = 1.0;
    for (int j = 0; j < m; j++)
      x[i] = x[i] * 0.75 + B[i][j];
  }
}

/* a producer and what needs it two rows on */
__attribute__((noinline)) void pair(int n, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[i][j] = B[i][j] + 1.0;
  for (int i = 0; i < n - 2; i++)
    for (int j = 0; j < m; j++)
      B[i][j] = A[i][j] + A[i + 2][j];
}

/* a row that each iteration has for itself */
__attribute__((noinline)) void rows(int n, int m)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      T[j] = A[i][j] * 2.0;
    for (int j = 0; j < m; j++)
      B[i][j] = T[m - 1 - j] + T[j];
  }
}

static void print(const double *at, long n)
{
  for (long i = 0; i < n; i++)
    printf("%a\n", at[i]);
}

int main(void)
{
  for (int i = 0; i < N * M; i++) {
    (&A[0][0])[i] = (i * 7 % 31) * 0.25;
    (&B[0][0])[i] = (i * 5 % 17) * 0.5;
  }
  for (int n = N; n > 0; n /= 2)
    for (int m = M; m > 0; m /= 3) {
      product(n, m);
      sweep(n, m);
      stencil(n, m);
      pair(n, m);
      sum(n, m);
      rows(n, m);
    }
  print(&A[0][0], N * M);
  print(&B[0][0], N * M);
  print(T, M);
  print(x, N);
}
