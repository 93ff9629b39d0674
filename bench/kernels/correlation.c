/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* correlation: the correlation matrix of the columns of data. */
#define NAME "correlation"
#define MINI 28, 32
#define SMALL 80, 100
#define MEDIUM 240, 260
#define LARGE 1200, 1400
#define EXTRALARGE 2600, 3000
#include "common.h"
#define M DIM(0, m)
#define N DIM(1, n)

NOINLINE static void init(int m, int n, double *float_n, double data[][M])
{
  *float_n = (double)N;
  fill(&data[0][0], (double)N * M, 1);
}

NOINLINE static void kernel(int m, int n, double float_n, double data[][M], double corr[][M], double mean[], double stddev[])
{
  double eps = 0.1;

  for (int j = 0; j < M; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < N; i++)
      mean[j] += data[i][j];
    mean[j] /= float_n;
  }
  for (int j = 0; j < M; j++) {
    stddev[j] = 0.0;
    for (int i = 0; i < N; i++)
      stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
    stddev[j] /= float_n;
    stddev[j] = sqrt(stddev[j]);
    /* A nearly constant column: don't divide by almost 0. */
    stddev[j] = stddev[j] <= eps ? 1.0 : stddev[j];
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      data[i][j] -= mean[j];
      data[i][j] /= sqrt(float_n) * stddev[j];
    }
  for (int i = 0; i < M - 1; i++) {
    corr[i][i] = 1.0;
    for (int j = i + 1; j < M; j++) {
      corr[i][j] = 0.0;
      for (int k = 0; k < N; k++)
        corr[i][j] += data[k][i] * data[k][j];
      corr[j][i] = corr[i][j];
    }
  }
  corr[M - 1][M - 1] = 1.0;
}

NOINLINE static void hash(int m, double corr[][M])
{
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      out_double(corr[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int m = size[0], n = size[1];
  if (m < 1)
    return finish();
  double float_n;
  void *data = make((double)n * m, sizeof(double));
  void *corr = make((double)m * m, sizeof(double));
  void *mean = make(m, sizeof(double));
  void *stddev = make(m, sizeof(double));
  MEASURE(init(m, n, &float_n, data), kernel(m, n, float_n, data, corr, mean, stddev));
  hash(m, corr);
  free(data);
  free(corr);
  free(mean);
  free(stddev);
  return finish();
}
