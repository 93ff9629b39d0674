/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* deflation: the columns of B lose their parts along those of Q, one after the other. */
#define NAME "deflation"
#define MINI 30, 20, 20
#define SMALL 80, 60, 50
#define MEDIUM 240, 200, 200
#define LARGE 1000, 400, 800
#define EXTRALARGE 2600, 1000, 2000
#include "../kernels/common.h"
#define M DIM(0, m)
#define STEPS DIM(1, steps)
#define N DIM(2, n)

NOINLINE static void init(int m, int steps, int n, double Q[][STEPS], double B[][N])
{
  for (int i = 0; i < M; i++)
    for (int k = 0; k < STEPS; k++)
      Q[i][k] = (value((uint64_t)i * STEPS + k, 1) - 0.6) / M;
  fill(&B[0][0], (double)M * N, 2);
}

NOINLINE static void kernel(int m, int steps, int n, double Q[][STEPS], double B[][N])
{
  for (int k = 0; k < STEPS; k++)
    for (int j = 0; j < N; j++) {
      double part = 0.0;
      for (int i = 0; i < M; i++)
        part += Q[i][k] * B[i][j];
      for (int i = 0; i < M; i++)
        B[i][j] -= part * Q[i][k];
    }
}

NOINLINE static void hash(int m, int n, double B[][N])
{
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      out_double(B[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int m = size[0], steps = size[1], n = size[2];
  if (steps < 1 || n < 1)
    return finish();
  void *Q = make((double)m * steps, sizeof(double));
  void *B = make((double)m * n, sizeof(double));
  MEASURE(init(m, steps, n, Q, B), kernel(m, steps, n, Q, B));
  hash(m, n, B);
  free(Q);
  free(B);
  return finish();
}
