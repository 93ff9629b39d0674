/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gemm: C := alpha A B + beta C. */
#define NAME "gemm"
#define MINI 20, 25, 30
#define SMALL 60, 70, 80
#define MEDIUM 200, 220, 240
#define LARGE 1000, 1100, 1200
#define EXTRALARGE 2000, 2300, 2600
#include "common.h"
#define NI DIM(0, ni)
#define NJ DIM(1, nj)
#define NK DIM(2, nk)

NOINLINE static void init(int ni, int nj, int nk, double *alpha, double *beta, double C[][NJ], double A[][NK],
                          double B[][NJ])
{
  *alpha = 1.5;
  *beta = 1.2;
  fill(&C[0][0], (double)NI * NJ, 1);
  fill(&A[0][0], (double)NI * NK, 2);
  fill(&B[0][0], (double)NK * NJ, 3);
}

NOINLINE static void kernel(int ni, int nj, int nk, double alpha, double beta, double C[][NJ], double A[][NK],
                            double B[][NJ])
{
  for (int i = 0; i < NI; i++) {
    for (int j = 0; j < NJ; j++)
      C[i][j] *= beta;
    for (int k = 0; k < NK; k++)
      for (int j = 0; j < NJ; j++)
        C[i][j] += alpha * A[i][k] * B[k][j];
  }
}

NOINLINE static void hash(int ni, int nj, double C[][NJ])
{
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NJ; j++)
      out_double(C[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int ni = size[0], nj = size[1], nk = size[2];
  if (nj < 1 || nk < 1)
    return finish();
  double alpha, beta;
  void *C = make((double)ni * nj, sizeof(double));
  void *A = make((double)ni * nk, sizeof(double));
  void *B = make((double)nk * nj, sizeof(double));
  MEASURE(init(ni, nj, nk, &alpha, &beta, C, A, B), kernel(ni, nj, nk, alpha, beta, C, A, B));
  hash(ni, nj, C);
  free(C);
  free(A);
  free(B);
  return finish();
}
