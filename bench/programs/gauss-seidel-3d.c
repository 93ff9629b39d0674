/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gauss-seidel-3d: Gauss-Seidel for seven points in space. */
#define NAME "gauss-seidel-3d"
#define MINI 5, 10
#define SMALL 10, 20
#define MEDIUM 20, 60
#define LARGE 20, 200
#define EXTRALARGE 50, 300
#include "../kernels/common.h"
#define TSTEPS DIM(0, tsteps)
#define N DIM(1, n)

NOINLINE static void init(int n, double u[][N][N])
{
  fill(&u[0][0][0], (double)N * N * N, 1);
}

NOINLINE static void kernel(int tsteps, int n, double u[][N][N])
{
  for (int t = 0; t < TSTEPS; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          u[i][j][k] =
              (u[i - 1][j][k] + u[i + 1][j][k] + u[i][j - 1][k] + u[i][j + 1][k] + u[i][j][k - 1] + u[i][j][k + 1]) / 6.0;
}

NOINLINE static void hash(int n, double u[][N][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        out_double(u[i][j][k]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int tsteps = size[0], n = size[1];
  if (n < 1)
    return finish();
  void *u = make((double)n * n * n, sizeof(double));
  MEASURE(init(n, u), kernel(tsteps, n, u));
  hash(n, u);
  free(u);
  return finish();
}
