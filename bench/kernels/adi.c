/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* adi: alternating direction implicit solver of the 2-d heat equation. */
#define NAME "adi"
#define MINI 20, 20
#define SMALL 40, 60
#define MEDIUM 100, 200
#define LARGE 500, 1000
#define EXTRALARGE 1000, 2000
#include "common.h"
#define TSTEPS DIM(0, tsteps)
#define N DIM(1, n)

NOINLINE static void init(int n, double u[][N])
{
  fill(&u[0][0], (double)N * N, 1);
}

NOINLINE static void kernel(int tsteps, int n, double u[][N], double v[][N], double p[][N], double q[][N])
{
  double dx = 1.0 / (double)N, dy = 1.0 / (double)N, dt = 1.0 / (double)TSTEPS;
  double mul1 = 2.0 * dt / (dx * dx), mul2 = 1.0 * dt / (dy * dy);
  double a = -mul1 / 2.0, b = 1.0 + mul1, c = a;
  double d = -mul2 / 2.0, e = 1.0 + mul2, f = d;

  for (int t = 1; t <= TSTEPS; t++) {
    for (int i = 1; i < N - 1; i++) {
      v[0][i] = 1.0;
      p[i][0] = 0.0;
      q[i][0] = v[0][i];
      for (int j = 1; j < N - 1; j++) {
        p[i][j] = -c / (a * p[i][j - 1] + b);
        q[i][j] = (-d * u[j][i - 1] + (1.0 + 2.0 * d) * u[j][i] - f * u[j][i + 1] - a * q[i][j - 1]) / (a * p[i][j - 1] + b);
      }
      v[N - 1][i] = 1.0;
      for (int j = N - 2; j >= 1; j--)
        v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
    }
    for (int i = 1; i < N - 1; i++) {
      u[i][0] = 1.0;
      p[i][0] = 0.0;
      q[i][0] = u[i][0];
      for (int j = 1; j < N - 1; j++) {
        p[i][j] = -f / (d * p[i][j - 1] + e);
        q[i][j] = (-a * v[i - 1][j] + (1.0 + 2.0 * a) * v[i][j] - c * v[i + 1][j] - d * q[i][j - 1]) / (d * p[i][j - 1] + e);
      }
      u[i][N - 1] = 1.0;
      for (int j = N - 2; j >= 1; j--)
        u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
    }
  }
}

NOINLINE static void hash(int n, double u[][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      out_double(u[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int tsteps = size[0], n = size[1];
  if (n < 1)
    return finish();
  void *u = make((double)n * n, sizeof(double));
  void *v = make((double)n * n, sizeof(double));
  void *p = make((double)n * n, sizeof(double));
  void *q = make((double)n * n, sizeof(double));
  MEASURE(init(n, u), kernel(tsteps, n, u, v, p, q));
  hash(n, u);
  free(u);
  free(v);
  free(p);
  free(q);
  return finish();
}
