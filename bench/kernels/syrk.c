/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* syrk: the lower triangle of C := alpha A A' + beta C, where ' transposes. */
#define NAME "syrk"
#define MINI 20, 30
#define SMALL 60, 80
#define MEDIUM 200, 240
#define LARGE 1000, 1200
#define EXTRALARGE 2000, 2600
#include "common.h"
#define M DIM(0, m)
#define N DIM(1, n)

NOINLINE static void init(int m, int n, double *alpha, double *beta, double C[][N], double A[][M])
{
  *alpha = 1.5;
  *beta = 1.2;
  fill(&C[0][0], (double)N * N, 1);
  fill(&A[0][0], (double)N * M, 2);
}

NOINLINE static void kernel(int m, int n, double alpha, double beta, double C[][N], double A[][M])
{
  for (int i = 0; i < N; i++) {
    for (int j = 0; j <= i; j++)
      C[i][j] *= beta;
    for (int k = 0; k < M; k++)
      for (int j = 0; j <= i; j++)
        C[i][j] += alpha * A[i][k] * A[j][k];
  }
}

NOINLINE static void hash(int n, double C[][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      out_double(C[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int m = size[0], n = size[1];
  if (m < 1 || n < 1)
    return finish();
  double alpha, beta;
  void *C = make((double)n * n, sizeof(double));
  void *A = make((double)n * m, sizeof(double));
  MEASURE(init(m, n, &alpha, &beta, C, A), kernel(m, n, alpha, beta, C, A));
  hash(n, C);
  free(C);
  free(A);
  return finish();
}
