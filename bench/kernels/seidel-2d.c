/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* seidel-2d: the 9-point stencil in the plane, in place. */
#define NAME "seidel-2d"
#define MINI 20, 40
#define SMALL 40, 120
#define MEDIUM 100, 400
#define LARGE 500, 2000
#define EXTRALARGE 1000, 4000
#include "common.h"
#define TSTEPS DIM(0, tsteps)
#define N DIM(1, n)

NOINLINE static void init(int n, double A[][N])
{
  fill(&A[0][0], (double)N * N, 1);
}

NOINLINE static void kernel(int tsteps, int n, double A[][N])
{
  for (int t = 0; t <= TSTEPS - 1; t++)
    for (int i = 1; i <= N - 2; i++)
      for (int j = 1; j <= N - 2; j++)
        A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j - 1] +
                   A[i + 1][j] + A[i + 1][j + 1]) /
                  9.0;
}

NOINLINE static void hash(int n, double A[][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      out_double(A[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int tsteps = size[0], n = size[1];
  if (n < 1)
    return finish();
  void *A = make((double)n * n, sizeof(double));
  MEASURE(init(n, A), kernel(tsteps, n, A));
  hash(n, A);
  free(A);
  return finish();
}
