/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ldlt: A = L D L^T of a symmetric matrix, in the lower triangle. */
#define NAME "ldlt"
#define MINI 30
#define SMALL 80
#define MEDIUM 240
#define LARGE 1200
#define EXTRALARGE 2600
#include "../kernels/common.h"
#define N DIM(0, n)

NOINLINE static void init(int n, double A[][N])
{
  fill_dominant(&A[0][0], N, 1);
}

NOINLINE static void kernel(int n, double A[][N])
{
  for (int k = 0; k < N; k++) {
    for (int j = k + 1; j < N; j++) {
      double factor = A[j][k] / A[k][k];
      for (int i = j; i < N; i++)
        A[i][j] -= factor * A[i][k];
    }
    for (int i = k + 1; i < N; i++)
      A[i][k] /= A[k][k];
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
