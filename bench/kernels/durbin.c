/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* durbin: the Yule-Walker equations of a Toeplitz matrix, by the Levinson-Durbin recursion. */
#define NAME "durbin"
#define MINI 40
#define SMALL 120
#define MEDIUM 400
#define LARGE 2000
#define EXTRALARGE 4000
#include "common.h"
#define N DIM(0, n)

/* 1, 1/2, 1/3, .. is convex and falls to 0, so the Toeplitz matrix of it is positive definite. */
NOINLINE static void init(int n, double r[])
{
  for (int i = 0; i < N; i++)
    r[i] = 1.0 / (i + 2);
}

NOINLINE static void kernel(int n, double r[], double y[])
{
  double z[N];
  double alpha = -r[0], beta = 1.0, sum;

  y[0] = -r[0];
  for (int k = 1; k < N; k++) {
    beta = (1 - alpha * alpha) * beta;
    sum = 0.0;
    for (int i = 0; i < k; i++)
      sum += r[k - i - 1] * y[i];
    alpha = -(r[k] + sum) / beta;
    for (int i = 0; i < k; i++)
      z[i] = y[i] + alpha * y[k - i - 1];
    for (int i = 0; i < k; i++)
      y[i] = z[i];
    y[k] = alpha;
  }
}

NOINLINE static void hash(int n, double y[])
{
  for (int i = 0; i < N; i++)
    out_double(y[i]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int n = size[0];
  if (n < 1)
    return finish();
  void *r = make(n, sizeof(double));
  void *y = make(n, sizeof(double));
  MEASURE(init(n, r), kernel(n, r, y));
  hash(n, y);
  free(r);
  free(y);
  return finish();
}
