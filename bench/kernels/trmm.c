/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* trmm: B := alpha transpose(A) B, where A is unit lower triangular. */
#define NAME "trmm"
#define MINI 20, 30
#define SMALL 60, 80
#define MEDIUM 200, 240
#define LARGE 1000, 1200
#define EXTRALARGE 2000, 2600
#include "common.h"
#define M DIM(0, m)
#define N DIM(1, n)

NOINLINE static void init(int m, int n, double *alpha, double A[][M], double B[][N])
{
  *alpha = 1.5;
  fill(&A[0][0], (double)M * M, 1);
  fill(&B[0][0], (double)M * N, 2);
}

NOINLINE static void kernel(int m, int n, double alpha, double A[][M], double B[][N])
{
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      for (int k = i + 1; k < M; k++)
        B[i][j] += A[k][i] * B[k][j];
      B[i][j] = alpha * B[i][j];
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
  int m = size[0], n = size[1];
  if (m < 1 || n < 1)
    return finish();
  double alpha;
  void *A = make((double)m * m, sizeof(double));
  void *B = make((double)m * n, sizeof(double));
  MEASURE(init(m, n, &alpha, A, B), kernel(m, n, alpha, A, B));
  hash(m, n, B);
  free(A);
  free(B);
  return finish();
}
