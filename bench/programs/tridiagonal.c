/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tridiagonal: a tridiagonal matrix, solved for many right sides. */
#define NAME "tridiagonal"
#define MINI 20, 30
#define SMALL 60, 80
#define MEDIUM 200, 400
#define LARGE 2000, 4000
#define EXTRALARGE 4000, 8000
#include "../kernels/common.h"
#define SIDES DIM(0, sides)
#define N DIM(1, n)

NOINLINE static void init(int sides, int n, double a[], double b[], double c[], double x[][N])
{
  fill(a, N, 1);
  fill(c, N, 2);
  for (int i = 0; i < N; i++)
    b[i] = 4.0 + value(i, 3);
  fill(&x[0][0], (double)SIDES * N, 4);
}

NOINLINE static void kernel(int sides, int n, double a[], double b[], double c[], double up[], double x[][N])
{
  up[0] = c[0] / b[0];
  for (int i = 1; i < N; i++)
    up[i] = c[i] / (b[i] - a[i] * up[i - 1]);
  for (int r = 0; r < SIDES; r++) {
    x[r][0] = x[r][0] / b[0];
    for (int i = 1; i < N; i++)
      x[r][i] = (x[r][i] - a[i] * x[r][i - 1]) / (b[i] - a[i] * up[i - 1]);
    for (int i = N - 2; i >= 0; i--)
      x[r][i] -= up[i] * x[r][i + 1];
  }
}

NOINLINE static void hash(int sides, int n, double x[][N])
{
  for (int r = 0; r < SIDES; r++)
    for (int i = 0; i < N; i++)
      out_double(x[r][i]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int sides = size[0], n = size[1];
  if (n < 1)
    return finish();
  void *a = make(n, sizeof(double));
  void *b = make(n, sizeof(double));
  void *c = make(n, sizeof(double));
  void *up = make(n, sizeof(double));
  void *x = make((double)sides * n, sizeof(double));
  MEASURE(init(sides, n, a, b, c, x), kernel(sides, n, a, b, c, up, x));
  hash(sides, n, x);
  free(a);
  free(b);
  free(c);
  free(up);
  free(x);
  return finish();
}
