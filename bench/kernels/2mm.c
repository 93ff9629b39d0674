/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* 2mm: D := alpha A B C + beta D, through tmp := alpha A B. */
#define NAME "2mm"
#define MINI 16, 18, 22, 24
#define SMALL 40, 50, 70, 80
#define MEDIUM 180, 190, 210, 220
#define LARGE 800, 900, 1100, 1200
#define EXTRALARGE 1600, 1800, 2200, 2400
#include "common.h"
#define NI DIM(0, ni)
#define NJ DIM(1, nj)
#define NK DIM(2, nk)
#define NL DIM(3, nl)

NOINLINE static void init(int ni, int nj, int nk, int nl, double *alpha, double *beta, double A[][NK], double B[][NJ],
                          double C[][NL], double D[][NL])
{
  *alpha = 1.5;
  *beta = 1.2;
  fill(&A[0][0], (double)NI * NK, 1);
  fill(&B[0][0], (double)NK * NJ, 2);
  fill(&C[0][0], (double)NJ * NL, 3);
  fill(&D[0][0], (double)NI * NL, 4);
}

NOINLINE static void kernel(int ni, int nj, int nk, int nl, double alpha, double beta, double tmp[][NJ], double A[][NK],
                            double B[][NJ], double C[][NL], double D[][NL])
{
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NJ; j++) {
      tmp[i][j] = 0.0;
      for (int k = 0; k < NK; k++)
        tmp[i][j] += alpha * A[i][k] * B[k][j];
    }
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NL; j++) {
      D[i][j] *= beta;
      for (int k = 0; k < NJ; k++)
        D[i][j] += tmp[i][k] * C[k][j];
    }
}

NOINLINE static void hash(int ni, int nl, double D[][NL])
{
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NL; j++)
      out_double(D[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int ni = size[0], nj = size[1], nk = size[2], nl = size[3];
  if (nj < 1 || nk < 1 || nl < 1)
    return finish();
  double alpha, beta;
  void *tmp = make((double)ni * nj, sizeof(double));
  void *A = make((double)ni * nk, sizeof(double));
  void *B = make((double)nk * nj, sizeof(double));
  void *C = make((double)nj * nl, sizeof(double));
  void *D = make((double)ni * nl, sizeof(double));
  MEASURE(init(ni, nj, nk, nl, &alpha, &beta, A, B, C, D), kernel(ni, nj, nk, nl, alpha, beta, tmp, A, B, C, D));
  hash(ni, nl, D);
  free(tmp);
  free(A);
  free(B);
  free(C);
  free(D);
  return finish();
}
