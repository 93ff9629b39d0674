/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heat-3d: the heat equation in space, two time steps an iteration. */
#define NAME "heat-3d"
#define MINI 20, 10
#define SMALL 40, 20
#define MEDIUM 100, 40
#define LARGE 500, 120
#define EXTRALARGE 1000, 200
#include "common.h"
#define TSTEPS DIM(0, tsteps)
#define N DIM(1, n)

NOINLINE static void init(int n, double A[][N][N], double B[][N][N])
{
  fill(&A[0][0][0], (double)N * N * N, 1);
  fill(&B[0][0][0], (double)N * N * N, 1);
}

NOINLINE static void kernel(int tsteps, int n, double A[][N][N], double B[][N][N])
{
  for (int t = 1; t <= TSTEPS; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          B[i][j][k] = 0.125 * (A[i + 1][j][k] - 2.0 * A[i][j][k] + A[i - 1][j][k]) +
                       0.125 * (A[i][j + 1][k] - 2.0 * A[i][j][k] + A[i][j - 1][k]) +
                       0.125 * (A[i][j][k + 1] - 2.0 * A[i][j][k] + A[i][j][k - 1]) + A[i][j][k];
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          A[i][j][k] = 0.125 * (B[i + 1][j][k] - 2.0 * B[i][j][k] + B[i - 1][j][k]) +
                       0.125 * (B[i][j + 1][k] - 2.0 * B[i][j][k] + B[i][j - 1][k]) +
                       0.125 * (B[i][j][k + 1] - 2.0 * B[i][j][k] + B[i][j][k - 1]) + B[i][j][k];
  }
}

NOINLINE static void hash(int n, double A[][N][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        out_double(A[i][j][k]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int tsteps = size[0], n = size[1];
  if (n < 1)
    return finish();
  void *A = make((double)n * n * n, sizeof(double));
  void *B = make((double)n * n * n, sizeof(double));
  MEASURE(init(n, A, B), kernel(tsteps, n, A, B));
  hash(n, A);
  free(A);
  free(B);
  return finish();
}
