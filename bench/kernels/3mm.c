/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* 3mm: G := (A B) (C D), through E := A B and F := C D. */
#define NAME "3mm"
#define MINI 16, 18, 20, 22, 24
#define SMALL 40, 50, 60, 70, 80
#define MEDIUM 180, 190, 200, 210, 220
#define LARGE 800, 900, 1000, 1100, 1200
#define EXTRALARGE 1600, 1800, 2000, 2200, 2400
#include "common.h"
#define NI DIM(0, ni)
#define NJ DIM(1, nj)
#define NK DIM(2, nk)
#define NL DIM(3, nl)
#define NM DIM(4, nm)

NOINLINE static void init(int ni, int nj, int nk, int nl, int nm, double A[][NK], double B[][NJ], double C[][NM],
                          double D[][NL])
{
  fill(&A[0][0], (double)NI * NK, 1);
  fill(&B[0][0], (double)NK * NJ, 2);
  fill(&C[0][0], (double)NJ * NM, 3);
  fill(&D[0][0], (double)NM * NL, 4);
}

NOINLINE static void kernel(int ni, int nj, int nk, int nl, int nm, double E[][NJ], double A[][NK], double B[][NJ],
                            double F[][NL], double C[][NM], double D[][NL], double G[][NL])
{
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NJ; j++) {
      E[i][j] = 0.0;
      for (int k = 0; k < NK; k++)
        E[i][j] += A[i][k] * B[k][j];
    }
  for (int i = 0; i < NJ; i++)
    for (int j = 0; j < NL; j++) {
      F[i][j] = 0.0;
      for (int k = 0; k < NM; k++)
        F[i][j] += C[i][k] * D[k][j];
    }
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NL; j++) {
      G[i][j] = 0.0;
      for (int k = 0; k < NJ; k++)
        G[i][j] += E[i][k] * F[k][j];
    }
}

NOINLINE static void hash(int ni, int nl, double G[][NL])
{
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NL; j++)
      out_double(G[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int ni = size[0], nj = size[1], nk = size[2], nl = size[3], nm = size[4];
  if (nj < 1 || nk < 1 || nl < 1 || nm < 1)
    return finish();
  void *A = make((double)ni * nk, sizeof(double));
  void *B = make((double)nk * nj, sizeof(double));
  void *C = make((double)nj * nm, sizeof(double));
  void *D = make((double)nm * nl, sizeof(double));
  void *E = make((double)ni * nj, sizeof(double));
  void *F = make((double)nj * nl, sizeof(double));
  void *G = make((double)ni * nl, sizeof(double));
  MEASURE(init(ni, nj, nk, nl, nm, A, B, C, D), kernel(ni, nj, nk, nl, nm, E, A, B, F, C, D, G));
  hash(ni, nl, G);
  free(A);
  free(B);
  free(C);
  free(D);
  free(E);
  free(F);
  free(G);
  return finish();
}
