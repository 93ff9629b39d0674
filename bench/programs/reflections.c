/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* reflections: A = Q R by reflections, each a product of the matrix and a vector and an update of rank one, row by row. */
#define NAME "reflections"
#define MINI 30, 20
#define SMALL 80, 60
#define MEDIUM 240, 200
#define LARGE 1000, 800
#define EXTRALARGE 2600, 2000
#include "../kernels/common.h"
#define M DIM(0, m)
#define N DIM(1, n)

NOINLINE static void init(int m, int n, double A[][N])
{
  fill(&A[0][0], (double)M * N, 1);
}

NOINLINE static void kernel(int m, int n, double A[][N], double tau[], double w[])
{
  int steps = M < N ? M : N;
  for (int k = 0; k < steps; k++) {
    double norm = 0.0;
    for (int i = k; i < M; i++)
      norm += A[i][k] * A[i][k];
    norm = A[k][k] < 0 ? -sqrt(norm) : sqrt(norm);
    for (int i = k; i < M; i++)
      A[i][k] /= norm;
    A[k][k] += 1.0;
    for (int j = k + 1; j < N; j++)
      w[j] = 0.0;
    for (int i = k; i < M; i++)
      for (int j = k + 1; j < N; j++)
        w[j] += A[i][k] * A[i][j];
    for (int j = k + 1; j < N; j++)
      w[j] /= -A[k][k];
    for (int i = k; i < M; i++)
      for (int j = k + 1; j < N; j++)
        A[i][j] += A[i][k] * w[j];
    tau[k] = -norm;
  }
}

NOINLINE static void hash(int m, int n, double A[][N], double tau[])
{
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      out_double(A[i][j]);
  for (int k = 0; k < N; k++)
    out_double(tau[k]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int m = size[0], n = size[1];
  if (n < 1)
    return finish();
  void *A = make((double)m * n, sizeof(double));
  void *tau = make(n, sizeof(double));
  void *w = make(n, sizeof(double));
  MEASURE(init(m, n, A), kernel(m, n, A, tau, w));
  hash(m, n, A, tau);
  free(A);
  free(tau);
  free(w);
  return finish();
}
