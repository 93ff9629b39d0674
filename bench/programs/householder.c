/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* householder: A = Q R by reflections: R above the diagonal, the vectors below it. */
#define NAME "householder"
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

NOINLINE static void kernel(int m, int n, double A[][N], double diagonal[])
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
    for (int j = k + 1; j < N; j++) {
      double sum = 0.0;
      for (int i = k; i < M; i++)
        sum += A[i][k] * A[i][j];
      sum = -sum / A[k][k];
      for (int i = k; i < M; i++)
        A[i][j] += sum * A[i][k];
    }
    diagonal[k] = -norm;
  }
}

NOINLINE static void hash(int m, int n, double A[][N], double diagonal[])
{
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      out_double(A[i][j]);
  for (int k = 0; k < N; k++)
    out_double(diagonal[k]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int m = size[0], n = size[1];
  if (n < 1)
    return finish();
  void *A = make((double)m * n, sizeof(double));
  void *diagonal = make(n, sizeof(double));
  MEASURE(init(m, n, A), kernel(m, n, A, diagonal));
  hash(m, n, A, diagonal);
  free(A);
  free(diagonal);
  return finish();
}
