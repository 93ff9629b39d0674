/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* mvt: x1 += A y1 and x2 += transpose(A) y2. */
#define NAME "mvt"
#define MINI 40
#define SMALL 120
#define MEDIUM 400
#define LARGE 2000
#define EXTRALARGE 4000
#include "common.h"
#define N DIM(0, n)

NOINLINE static void init(int n, double x1[], double x2[], double y1[], double y2[], double A[][N])
{
  fill(x1, N, 1);
  fill(x2, N, 2);
  fill(y1, N, 3);
  fill(y2, N, 4);
  fill(&A[0][0], (double)N * N, 5);
}

NOINLINE static void kernel(int n, double x1[], double x2[], double y1[], double y2[], double A[][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      x1[i] = x1[i] + A[i][j] * y1[j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      x2[i] = x2[i] + A[j][i] * y2[j];
}

NOINLINE static void hash(int n, double x1[], double x2[])
{
  for (int i = 0; i < N; i++) {
    out_double(x1[i]);
    out_double(x2[i]);
  }
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int n = size[0];
  if (n < 1)
    return finish();
  void *x1 = make(n, sizeof(double));
  void *x2 = make(n, sizeof(double));
  void *y1 = make(n, sizeof(double));
  void *y2 = make(n, sizeof(double));
  void *A = make((double)n * n, sizeof(double));
  MEASURE(init(n, x1, x2, y1, y2, A), kernel(n, x1, x2, y1, y2, A));
  hash(n, x1, x2);
  free(x1);
  free(x2);
  free(y1);
  free(y2);
  free(A);
  return finish();
}
