/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* doitgen: each row of the 3-d array A times the matrix C4, in place, as in multiresolution analysis. */
#define NAME "doitgen"
#define MINI 8, 10, 12
#define SMALL 20, 25, 30
#define MEDIUM 40, 50, 60
#define LARGE 140, 150, 160
#define EXTRALARGE 220, 250, 270
#include "common.h"
#define NQ DIM(0, nq)
#define NR DIM(1, nr)
#define NP DIM(2, np)

NOINLINE static void init(int nq, int nr, int np, double A[][NQ][NP], double C4[][NP])
{
  fill(&A[0][0][0], (double)NR * NQ * NP, 1);
  fill(&C4[0][0], (double)NP * NP, 2);
}

NOINLINE static void kernel(int nq, int nr, int np, double A[][NQ][NP], double C4[][NP], double sum[])
{
  for (int r = 0; r < NR; r++)
    for (int q = 0; q < NQ; q++) {
      for (int p = 0; p < NP; p++) {
        sum[p] = 0.0;
        for (int s = 0; s < NP; s++)
          sum[p] += A[r][q][s] * C4[s][p];
      }
      for (int p = 0; p < NP; p++)
        A[r][q][p] = sum[p];
    }
}

NOINLINE static void hash(int nq, int nr, int np, double A[][NQ][NP])
{
  for (int i = 0; i < NR; i++)
    for (int j = 0; j < NQ; j++)
      for (int k = 0; k < NP; k++)
        out_double(A[i][j][k]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int nq = size[0], nr = size[1], np = size[2];
  if (nq < 1 || np < 1)
    return finish();
  void *A = make((double)nr * nq * np, sizeof(double));
  void *C4 = make((double)np * np, sizeof(double));
  void *sum = make(np, sizeof(double));
  MEASURE(init(nq, nr, np, A, C4), kernel(nq, nr, np, A, C4, sum));
  hash(nq, nr, np, A);
  free(A);
  free(C4);
  free(sum);
  return finish();
}
