/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* trisolv: solves L x = b, where L is lower triangular. */
#define NAME "trisolv"
#define MINI 40
#define SMALL 120
#define MEDIUM 400
#define LARGE 2000
#define EXTRALARGE 4000
#include "common.h"
#define N DIM(0, n)

NOINLINE static void init(int n, double L[][N], double x[], double b[])
{
  fill_dominant(&L[0][0], N, 1);
  fill(b, N, 2);
  for (int i = 0; i < N; i++)
    x[i] = -999;
}

NOINLINE static void kernel(int n, double L[][N], double x[], double b[])
{
  for (int i = 0; i < N; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++)
      x[i] -= L[i][j] * x[j];
    x[i] = x[i] / L[i][i];
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
  void *L = make((double)n * n, sizeof(double));
  void *x = make(n, sizeof(double));
  void *b = make(n, sizeof(double));
  MEASURE(init(n, L, x, b), kernel(n, L, x, b));
  hash(n, x);
  free(L);
  free(x);
  free(b);
  return finish();
}
