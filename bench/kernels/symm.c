/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* symm: C := alpha A B + beta C, where A is symmetric and only its lower triangle is read. */
#define NAME "symm"
#define MINI 20, 30
#define SMALL 60, 80
#define MEDIUM 200, 240
#define LARGE 1000, 1200
#define EXTRALARGE 2000, 2600
#include "common.h"
#define M DIM(0, m)
#define N DIM(1, n)

NOINLINE static void init(int m, int n, double *alpha, double *beta, double C[][N], double A[][M], double B[][N])
{
  *alpha = 1.5;
  *beta = 1.2;
  fill(&C[0][0], (double)M * N, 1);
  fill(&B[0][0], (double)M * N, 2);
  fill(&A[0][0], (double)M * M, 3);
  for (int i = 0; i < M; i++)
    for (int j = i + 1; j < M; j++)
      A[i][j] = -999;
}

NOINLINE static void kernel(int m, int n, double alpha, double beta, double C[][N], double A[][M], double B[][N])
{
  double temp2;

  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      temp2 = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += alpha * B[i][j] * A[i][k];
        temp2 += B[k][j] * A[i][k];
      }
      C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * temp2;
    }
}

NOINLINE static void hash(int m, int n, double C[][N])
{
  for (int i = 0; i < M; i++)
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
  void *C = make((double)m * n, sizeof(double));
  void *A = make((double)m * m, sizeof(double));
  void *B = make((double)m * n, sizeof(double));
  MEASURE(init(m, n, &alpha, &beta, C, A, B), kernel(m, n, alpha, beta, C, A, B));
  hash(m, n, C);
  free(C);
  free(A);
  free(B);
  return finish();
}
