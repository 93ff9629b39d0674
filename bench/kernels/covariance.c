/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* covariance: the covariance matrix of the columns of data. */
#define NAME "covariance"
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

NOINLINE static void kernel(int m, int n, double float_n, double data[][M], double cov[][M], double mean[])
{
  for (int j = 0; j < M; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < N; i++)
      mean[j] += data[i][j];
    mean[j] /= float_n;
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      data[i][j] -= mean[j];
  for (int i = 0; i < M; i++)
    for (int j = i; j < M; j++) {
      cov[i][j] = 0.0;
      for (int k = 0; k < N; k++)
        cov[i][j] += data[k][i] * data[k][j];
      cov[i][j] /= (float_n - 1.0);
      cov[j][i] = cov[i][j];
    }
}

NOINLINE static void hash(int m, double cov[][M])
{
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      out_double(cov[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int m = size[0], n = size[1];
  if (m < 1)
    return finish();
  double float_n;
  void *data = make((double)n * m, sizeof(double));
  void *cov = make((double)m * m, sizeof(double));
  void *mean = make(m, sizeof(double));
  MEASURE(init(m, n, &float_n, data), kernel(m, n, float_n, data, cov, mean));
  hash(m, cov);
  free(data);
  free(cov);
  free(mean);
  return finish();
}
