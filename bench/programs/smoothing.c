/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* smoothing: Holt's exponential smoothing, a level and a trend, of many series. */
#define NAME "smoothing"
#define MINI 20, 30
#define SMALL 60, 80
#define MEDIUM 200, 400
#define LARGE 2000, 4000
#define EXTRALARGE 4000, 8000
#include "../kernels/common.h"
#define SERIES DIM(0, series)
#define N DIM(1, n)

NOINLINE static void init(int series, int n, double x[][N])
{
  fill(&x[0][0], (double)SERIES * N, 1);
}

NOINLINE static void kernel(int series, int n, double alpha, double beta, double x[][N], double y[][N])
{
  for (int s = 0; s < SERIES; s++) {
    double level = x[s][0], trend = 0;
    for (int t = 0; t < N; t++) {
      double before = level;
      y[s][t] = level + trend;
      level = alpha * x[s][t] + (1 - alpha) * (level + trend);
      trend = beta * (level - before) + (1 - beta) * trend;
    }
  }
}

NOINLINE static void hash(int series, int n, double y[][N])
{
  for (int s = 0; s < SERIES; s++)
    for (int t = 0; t < N; t++)
      out_double(y[s][t]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int series = size[0], n = size[1];
  if (n < 1)
    return finish();
  void *x = make((double)series * n, sizeof(double));
  void *y = make((double)series * n, sizeof(double));
  MEASURE(init(series, n, x), kernel(series, n, 0.3, 0.1, x, y));
  hash(series, n, y);
  free(x);
  free(y);
  return finish();
}
