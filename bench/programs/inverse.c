/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* inverse: the inverse of a matrix in its own place, by Gauss-Jordan elimination. */
#define NAME "inverse"
#define MINI 30
#define SMALL 80
#define MEDIUM 240
#define LARGE 800
#define EXTRALARGE 2000
#include "../kernels/common.h"
#define N DIM(0, n)

NOINLINE static void init(int n, double A[][N])
{
  fill_dominant(&A[0][0], N, 1);
}

NOINLINE static void kernel(int n, double A[][N])
{
  for (int k = 0; k < N; k++) {
    double pivot = A[k][k];
    A[k][k] = 1.0;
    for (int j = 0; j < N; j++)
      A[k][j] /= pivot;
    for (int i = 0; i < N; i++)
      if (i != k) {
        double factor = A[i][k];
        A[i][k] = 0.0;
        for (int j = 0; j < N; j++)
          A[i][j] -= factor * A[k][j];
      }
  }
}

NOINLINE static void hash(int n, double A[][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      out_double(A[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int n = size[0];
  if (n < 1)
    return finish();
  void *A = make((double)n * n, sizeof(double));
  MEASURE(init(n, A), kernel(n, A));
  hash(n, A);
  free(A);
  return finish();
}
