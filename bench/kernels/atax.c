/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* atax: y := transpose(A) (A x). */
#define NAME "atax"
#define MINI 38, 42
#define SMALL 116, 124
#define MEDIUM 390, 410
#define LARGE 1900, 2100
#define EXTRALARGE 1800, 2200
#include "common.h"
#define M DIM(0, m)
#define N DIM(1, n)

NOINLINE static void init(int m, int n, double A[][N], double x[])
{
  fill(&A[0][0], (double)M * N, 1);
  fill(x, N, 2);
}

NOINLINE static void kernel(int m, int n, double A[][N], double x[], double y[], double tmp[])
{
  for (int i = 0; i < N; i++)
    y[i] = 0;
  for (int i = 0; i < M; i++) {
    tmp[i] = 0.0;
    for (int j = 0; j < N; j++)
      tmp[i] = tmp[i] + A[i][j] * x[j];
    for (int j = 0; j < N; j++)
      y[j] = y[j] + A[i][j] * tmp[i];
  }
}

NOINLINE static void hash(int n, double y[])
{
  for (int i = 0; i < N; i++)
    out_double(y[i]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int m = size[0], n = size[1];
  if (n < 1)
    return finish();
  void *A = make((double)m * n, sizeof(double));
  void *x = make(n, sizeof(double));
  void *y = make(n, sizeof(double));
  void *tmp = make(m, sizeof(double));
  MEASURE(init(m, n, A, x), kernel(m, n, A, x, y, tmp));
  hash(n, y);
  free(A);
  free(x);
  free(y);
  free(tmp);
  return finish();
}
