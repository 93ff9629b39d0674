/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* apply-q: B becomes Q^T B for a product Q of reflections, whose vectors are the columns of V. */
#define NAME "apply-q"
#define MINI 30, 20, 20
#define SMALL 80, 60, 50
#define MEDIUM 240, 200, 200
#define LARGE 1000, 400, 800
#define EXTRALARGE 2600, 1000, 2000
#include "../kernels/common.h"
#define M DIM(0, m)
#define STEPS DIM(1, steps)
#define N DIM(2, n)

NOINLINE static void init(int m, int steps, int n, double V[][STEPS], double beta[], double B[][N])
{
  fill(&V[0][0], (double)M * STEPS, 1);
  for (int k = 0; k < STEPS; k++)
    beta[k] = 2.0 / (M + value(k, 2));
  fill(&B[0][0], (double)M * N, 3);
}

NOINLINE static void kernel(int m, int steps, int n, double V[][STEPS], double beta[], double B[][N], double w[])
{
  for (int k = 0; k < STEPS; k++) {
    for (int j = 0; j < N; j++)
      w[j] = 0.0;
    for (int i = k; i < M; i++)
      for (int j = 0; j < N; j++)
        w[j] += V[i][k] * B[i][j];
    for (int i = k; i < M; i++)
      for (int j = 0; j < N; j++)
        B[i][j] -= beta[k] * V[i][k] * w[j];
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
  void *V = make((double)m * steps, sizeof(double));
  void *beta = make(steps, sizeof(double));
  void *B = make((double)m * n, sizeof(double));
  void *w = make(n, sizeof(double));
  MEASURE(init(m, steps, n, V, beta, B), kernel(m, steps, n, V, beta, B, w));
  hash(m, n, B);
  free(V);
  free(beta);
  free(B);
  free(w);
  return finish();
}
