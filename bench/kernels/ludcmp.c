/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ludcmp: solves A x = b by L U decomposition, forward and back substitution. */
#define NAME "ludcmp"
#define MINI 40
#define SMALL 120
#define MEDIUM 400
#define LARGE 2000
#define EXTRALARGE 4000
#include "common.h"
#define N DIM(0, n)

NOINLINE static void init(int n, double A[][N], double b[])
{
  fill_dominant(&A[0][0], N, 1);
  fill(b, N, 2);
}

NOINLINE static void kernel(int n, double A[][N], double b[], double x[], double y[])
{
  double w;

  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      w = A[i][j];
      for (int k = 0; k < j; k++)
        w -= A[i][k] * A[k][j];
      A[i][j] = w / A[j][j];
    }
    for (int j = i; j < N; j++) {
      w = A[i][j];
      for (int k = 0; k < i; k++)
        w -= A[i][k] * A[k][j];
      A[i][j] = w;
    }
  }
  for (int i = 0; i < N; i++) {
    w = b[i];
    for (int j = 0; j < i; j++)
      w -= A[i][j] * y[j];
    y[i] = w;
  }
  for (int i = N - 1; i >= 0; i--) {
    w = y[i];
    for (int j = i + 1; j < N; j++)
      w -= A[i][j] * x[j];
    x[i] = w / A[i][i];
  }
}

NOINLINE static void hash(int n, double x[])
{
  for (int i = 0; i < N; i++)
    out_double(x[i]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int n = size[0];
  if (n < 1)
    return finish();
  void *A = make((double)n * n, sizeof(double));
  void *b = make(n, sizeof(double));
  void *x = make(n, sizeof(double));
  void *y = make(n, sizeof(double));
  MEASURE(init(n, A, b), kernel(n, A, b, x, y));
  hash(n, x);
  free(A);
  free(b);
  free(x);
  free(y);
  return finish();
}
