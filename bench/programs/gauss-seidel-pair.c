/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gauss-seidel-pair: two coupled equations, relaxed together: two statements, two arrays. */
#define NAME "gauss-seidel-pair"
#define MINI 10, 30
#define SMALL 20, 100
#define MEDIUM 50, 300
#define LARGE 100, 1000
#define EXTRALARGE 200, 2000
#include "../kernels/common.h"
#define TSTEPS DIM(0, tsteps)
#define N DIM(1, n)

NOINLINE static void init(int n, double u[][N], double v[][N])
{
  fill(&u[0][0], (double)N * N, 1);
  fill(&v[0][0], (double)N * N, 2);
}

NOINLINE static void kernel(int tsteps, int n, double u[][N], double v[][N])
{
  for (int t = 0; t < TSTEPS; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        u[i][j] = (u[i - 1][j] + u[i][j - 1] + u[i][j + 1] + u[i + 1][j] + v[i][j]) / 5.0;
        v[i][j] = (v[i - 1][j] + v[i][j - 1] + v[i][j + 1] + v[i + 1][j] - u[i][j]) / 5.0;
      }
}

NOINLINE static void hash(int n, double u[][N], double v[][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      out_double(u[i][j]);
      out_double(v[i][j]);
    }
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int tsteps = size[0], n = size[1];
  if (n < 1)
    return finish();
  void *u = make((double)n * n, sizeof(double));
  void *v = make((double)n * n, sizeof(double));
  MEASURE(init(n, u, v), kernel(tsteps, n, u, v));
  hash(n, u, v);
  free(u);
  free(v);
  return finish();
}
