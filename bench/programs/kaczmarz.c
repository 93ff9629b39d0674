/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* kaczmarz: A X = B for many right sides, row by row: each row of A in turn is made right. */
#define NAME "kaczmarz"
#define MINI 30, 20, 20
#define SMALL 80, 60, 50
#define MEDIUM 240, 200, 200
#define LARGE 600, 600, 800
#define EXTRALARGE 1600, 1600, 2000
#include "../kernels/common.h"
#define M DIM(0, m)
#define N DIM(1, n)
#define SIDES DIM(2, sides)

NOINLINE static void init(int m, int n, int sides, double A[][N], double B[][SIDES], double X[][SIDES], double norm[])
{
  fill(&A[0][0], (double)M * N, 1);
  for (int k = 0; k < M; k++) {
    norm[k] = 0;
    for (int i = 0; i < N; i++)
      norm[k] += A[k][i] * A[k][i];
  }
  fill(&B[0][0], (double)M * SIDES, 2);
  fill(&X[0][0], (double)N * SIDES, 3);
}

NOINLINE static void kernel(int m, int n, int sides, double A[][N], double B[][SIDES], double X[][SIDES], double norm[],
                            double left[])
{
  for (int k = 0; k < M; k++) {
    for (int j = 0; j < SIDES; j++)
      left[j] = B[k][j];
    for (int i = 0; i < N; i++)
      for (int j = 0; j < SIDES; j++)
        left[j] -= A[k][i] * X[i][j];
    for (int j = 0; j < SIDES; j++)
      left[j] /= norm[k];
    for (int i = 0; i < N; i++)
      for (int j = 0; j < SIDES; j++)
        X[i][j] += A[k][i] * left[j];
  }
}

NOINLINE static void hash(int n, int sides, double X[][SIDES])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < SIDES; j++)
      out_double(X[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int m = size[0], n = size[1], sides = size[2];
  if (n < 1 || sides < 1)
    return finish();
  void *A = make((double)m * n, sizeof(double));
  void *B = make((double)m * sides, sizeof(double));
  void *X = make((double)n * sides, sizeof(double));
  void *norm = make(m, sizeof(double));
  void *left = make(sides, sizeof(double));
  MEASURE(init(m, n, sides, A, B, X, norm), kernel(m, n, sides, A, B, X, norm, left));
  hash(n, sides, X);
  free(A);
  free(B);
  free(X);
  free(norm);
  free(left);
  return finish();
}
