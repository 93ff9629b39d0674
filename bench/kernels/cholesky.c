/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cholesky: the lower triangle L of A, in place, with A = L transpose(L). */
#define NAME "cholesky"
#define MINI 40
#define SMALL 120
#define MEDIUM 400
#define LARGE 2000
#define EXTRALARGE 4000
#include "common.h"
#define N DIM(0, n)

NOINLINE static void init(int n, double A[][N])
{
  fill_dominant(&A[0][0], N, 1);
}

NOINLINE static void kernel(int n, double A[][N])
{
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
    for (int k = 0; k < i; k++)
      A[i][i] -= A[i][k] * A[i][k];
    A[i][i] = sqrt(A[i][i]);
  }
}

NOINLINE static void hash(int n, double A[][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++)
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
