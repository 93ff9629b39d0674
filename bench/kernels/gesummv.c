/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gesummv: y := alpha A x + beta B x. */
#define NAME "gesummv"
#define MINI 30
#define SMALL 90
#define MEDIUM 250
#define LARGE 1300
#define EXTRALARGE 2800
#include "common.h"
#define N DIM(0, n)

NOINLINE static void init(int n, double *alpha, double *beta, double A[][N], double B[][N], double x[])
{
  *alpha = 1.5;
  *beta = 1.2;
  fill(&A[0][0], (double)N * N, 1);
  fill(&B[0][0], (double)N * N, 2);
  fill(x, N, 3);
}

NOINLINE static void kernel(int n, double alpha, double beta, double A[][N], double B[][N], double tmp[], double x[],
                            double y[])
{
  for (int i = 0; i < N; i++) {
    tmp[i] = 0.0;
    y[i] = 0.0;
    for (int j = 0; j < N; j++) {
      tmp[i] = A[i][j] * x[j] + tmp[i];
      y[i] = B[i][j] * x[j] + y[i];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
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
  int n = size[0];
  if (n < 1)
    return finish();
  double alpha, beta;
  void *A = make((double)n * n, sizeof(double));
  void *B = make((double)n * n, sizeof(double));
  void *tmp = make(n, sizeof(double));
  void *x = make(n, sizeof(double));
  void *y = make(n, sizeof(double));
  MEASURE(init(n, &alpha, &beta, A, B, x), kernel(n, alpha, beta, A, B, tmp, x, y));
  hash(n, y);
  free(A);
  free(B);
  free(tmp);
  free(x);
  free(y);
  return finish();
}
