/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gemver: A += u1 v1' + u2 v2', x += beta A' y + z, w += alpha A x, where ' transposes. */
#define NAME "gemver"
#define MINI 40
#define SMALL 120
#define MEDIUM 400
#define LARGE 2000
#define EXTRALARGE 4000
#include "common.h"
#define N DIM(0, n)

NOINLINE static void init(int n, double *alpha, double *beta, double A[][N], double u1[], double v1[], double u2[],
                          double v2[], double w[], double x[], double y[], double z[])
{
  *alpha = 1.5;
  *beta = 1.2;
  fill(&A[0][0], (double)N * N, 1);
  fill(u1, N, 2);
  fill(v1, N, 3);
  fill(u2, N, 4);
  fill(v2, N, 5);
  fill(y, N, 6);
  fill(z, N, 7);
  for (int i = 0; i < N; i++)
    w[i] = x[i] = 0.0;
}

NOINLINE static void kernel(int n, double alpha, double beta, double A[][N], double u1[], double v1[], double u2[],
                            double v2[], double w[], double x[], double y[], double z[])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      x[i] = x[i] + beta * A[j][i] * y[j];
  for (int i = 0; i < N; i++)
    x[i] = x[i] + z[i];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      w[i] = w[i] + alpha * A[i][j] * x[j];
}

NOINLINE static void hash(int n, double w[])
{
  for (int i = 0; i < N; i++)
    out_double(w[i]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int n = size[0];
  if (n < 1)
    return finish();
  double alpha, beta;
  void *A = make((double)n * n, sizeof(double)), *v[8];
  for (int i = 0; i < 8; i++)
    v[i] = make(n, sizeof(double));
  MEASURE(init(n, &alpha, &beta, A, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]),
          kernel(n, alpha, beta, A, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]));
  hash(n, v[4]);
  free(A);
  for (int i = 0; i < 8; i++)
    free(v[i]);
  return finish();
}
