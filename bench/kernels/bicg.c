/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* bicg: s := transpose(A) r and q := A p in one nest, as in the BiCG solver. */
#define NAME "bicg"
#define MINI 38, 42
#define SMALL 116, 124
#define MEDIUM 390, 410
#define LARGE 1900, 2100
#define EXTRALARGE 1800, 2200
#include "common.h"
#define M DIM(0, m)
#define N DIM(1, n)

NOINLINE static void init(int m, int n, double A[][M], double p[], double r[])
{
  fill(&A[0][0], (double)N * M, 1);
  fill(p, M, 2);
  fill(r, N, 3);
}

NOINLINE static void kernel(int m, int n, double A[][M], double s[], double q[], double p[], double r[])
{
  for (int i = 0; i < M; i++)
    s[i] = 0;
  for (int i = 0; i < N; i++) {
    q[i] = 0.0;
    for (int j = 0; j < M; j++) {
      s[j] = s[j] + r[i] * A[i][j];
      q[i] = q[i] + A[i][j] * p[j];
    }
  }
}

NOINLINE static void hash(int m, int n, double s[], double q[])
{
  for (int i = 0; i < M; i++)
    out_double(s[i]);
  for (int i = 0; i < N; i++)
    out_double(q[i]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int m = size[0], n = size[1];
  if (m < 1)
    return finish();
  void *A = make((double)n * m, sizeof(double));
  void *s = make(m, sizeof(double));
  void *q = make(n, sizeof(double));
  void *p = make(m, sizeof(double));
  void *r = make(n, sizeof(double));
  MEASURE(init(m, n, A, p, r), kernel(m, n, A, s, q, p, r));
  hash(m, n, s, q);
  free(A);
  free(s);
  free(q);
  free(p);
  free(r);
  return finish();
}
