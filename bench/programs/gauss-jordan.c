/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gauss-jordan: A X = B for many right sides; A becomes the unit matrix. */
#define NAME "gauss-jordan"
#define MINI 20, 30
#define SMALL 60, 80
#define MEDIUM 200, 240
#define LARGE 800, 600
#define EXTRALARGE 2000, 1000
#include "../kernels/common.h"
#define N DIM(0, n)
#define SIDES DIM(1, sides)

NOINLINE static void init(int n, int sides, double A[][N], double B[][SIDES])
{
  fill_dominant(&A[0][0], N, 1);
  fill(&B[0][0], (double)N * SIDES, 2);
}

NOINLINE static void kernel(int n, int sides, double A[][N], double B[][SIDES])
{
  for (int k = 0; k < N; k++) {
    for (int j = k + 1; j < N; j++)
      A[k][j] /= A[k][k];
    for (int j = 0; j < SIDES; j++)
      B[k][j] /= A[k][k];
    for (int i = 0; i < N; i++)
      if (i != k) {
        for (int j = k + 1; j < N; j++)
          A[i][j] -= A[i][k] * A[k][j];
        for (int j = 0; j < SIDES; j++)
          B[i][j] -= A[i][k] * B[k][j];
      }
  }
}

NOINLINE static void hash(int n, int sides, double B[][SIDES])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < SIDES; j++)
      out_double(B[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int n = size[0], sides = size[1];
  if (n < 1 || sides < 1)
    return finish();
  void *A = make((double)n * n, sizeof(double));
  void *B = make((double)n * sides, sizeof(double));
  MEASURE(init(n, sides, A, B), kernel(n, sides, A, B));
  hash(n, sides, B);
  free(A);
  free(B);
  return finish();
}
