/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* jacobi-2d: the 5-point stencil in the plane, two time steps an iteration. */
#define NAME "jacobi-2d"
#define MINI 20, 30
#define SMALL 40, 90
#define MEDIUM 100, 250
#define LARGE 500, 1300
#define EXTRALARGE 1000, 2800
#include "common.h"
#define TSTEPS DIM(0, tsteps)
#define N DIM(1, n)

NOINLINE static void init(int n, double A[][N], double B[][N])
{
  fill(&A[0][0], (double)N * N, 1);
  fill(&B[0][0], (double)N * N, 2);
}

NOINLINE static void kernel(int tsteps, int n, double A[][N], double B[][N])
{
  for (int t = 0; t < TSTEPS; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] + A[i - 1][j]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][1 + j] + B[1 + i][j] + B[i - 1][j]);
  }
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
  void *B = make((double)n * n, sizeof(double));
  MEASURE(init(n, A, B), kernel(tsteps, n, A, B));
  hash(n, A);
  free(A);
  free(B);
  return finish();
}
