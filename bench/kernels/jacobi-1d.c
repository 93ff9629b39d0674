/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* jacobi-1d: the 3-point stencil on a line, two time steps an iteration. */
#define NAME "jacobi-1d"
#define MINI 20, 30
#define SMALL 40, 120
#define MEDIUM 100, 400
#define LARGE 500, 2000
#define EXTRALARGE 1000, 4000
#include "common.h"
#define TSTEPS DIM(0, tsteps)
#define N DIM(1, n)

NOINLINE static void init(int n, double A[], double B[])
{
  fill(A, N, 1);
  fill(B, N, 2);
}

NOINLINE static void kernel(int tsteps, int n, double A[], double B[])
{
  for (int t = 0; t < TSTEPS; t++) {
    for (int i = 1; i < N - 1; i++)
      B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
    for (int i = 1; i < N - 1; i++)
      A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
  }
}

NOINLINE static void hash(int n, double A[])
{
  for (int i = 0; i < N; i++)
    out_double(A[i]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int tsteps = size[0], n = size[1];
  void *A = make(n, sizeof(double));
  void *B = make(n, sizeof(double));
  MEASURE(init(n, A, B), kernel(tsteps, n, A, B));
  hash(n, A);
  free(A);
  free(B);
  return finish();
}
