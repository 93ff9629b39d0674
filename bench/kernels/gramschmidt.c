/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gramschmidt: A = Q R by the modified Gram-Schmidt process. */
#define NAME "gramschmidt"
#define MINI 20, 30
#define SMALL 60, 80
#define MEDIUM 200, 240
#define LARGE 1000, 1200
#define EXTRALARGE 2000, 2600
#include "common.h"
#define M DIM(0, m)
#define N DIM(1, n)

NOINLINE static void init(int m, int n, double A[][N])
{
  fill(&A[0][0], (double)M * N, 1);
}

NOINLINE static void kernel(int m, int n, double A[][N], double R[][N], double Q[][N])
{
  double nrm;

  for (int k = 0; k < N; k++) {
    nrm = 0.0;
    for (int i = 0; i < M; i++)
      nrm += A[i][k] * A[i][k];
    R[k][k] = sqrt(nrm);
    for (int i = 0; i < M; i++)
      Q[i][k] = A[i][k] / R[k][k];
    for (int j = k + 1; j < N; j++) {
      R[k][j] = 0.0;
      for (int i = 0; i < M; i++)
        R[k][j] += Q[i][k] * A[i][j];
      for (int i = 0; i < M; i++)
        A[i][j] = A[i][j] - Q[i][k] * R[k][j];
    }
  }
}

NOINLINE static void hash(int m, int n, double R[][N], double Q[][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      out_double(R[i][j]);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      out_double(Q[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int m = size[0], n = size[1];
  if (n < 1)
    return finish();
  void *A = make((double)m * n, sizeof(double));
  void *R = make((double)n * n, sizeof(double));
  void *Q = make((double)m * n, sizeof(double));
  MEASURE(init(m, n, A), kernel(m, n, A, R, Q));
  hash(m, n, R, Q);
  free(A);
  free(R);
  free(Q);
  return finish();
}
