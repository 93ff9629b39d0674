/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* filter-bank: one signal through many recursive filters of second order. */
#define NAME "filter-bank"
#define MINI 20, 100
#define SMALL 40, 400
#define MEDIUM 100, 4000
#define LARGE 512, 44100
#define EXTRALARGE 1024, 88200
#include "../kernels/common.h"
#define CHANNELS DIM(0, channels)
#define N DIM(1, n)

NOINLINE static void init(int channels, int n, float x[], float b[][3], float a[][2])
{
  for (int t = 0; t < N; t++)
    x[t] = (float)value(t, 1) - 0.6f;
  for (int c = 0; c < CHANNELS; c++) {
    for (int k = 0; k < 3; k++)
      b[c][k] = (float)value(3 * c + k, 2);
    a[c][0] = (float)value(c, 3) - 1.1f;
    a[c][1] = 0.5f * (float)value(c, 4);
  }
}

NOINLINE static void kernel(int channels, int n, float x[], float b[][3], float a[][2], float y[][N])
{
  for (int c = 0; c < CHANNELS; c++) {
    float s1 = 0, s2 = 0;
    for (int t = 0; t < N; t++) {
      float out = b[c][0] * x[t] + s1;
      s1 = b[c][1] * x[t] - a[c][0] * out + s2;
      s2 = b[c][2] * x[t] - a[c][1] * out;
      y[c][t] = out;
    }
  }
}

NOINLINE static void hash(int channels, int n, float y[][N])
{
  for (int c = 0; c < CHANNELS; c++)
    for (int t = 0; t < N; t++)
      out_float(y[c][t]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int channels = size[0], n = size[1];
  if (n < 1)
    return finish();
  void *x = make(n, sizeof(float));
  void *b = make(3.0 * channels, sizeof(float));
  void *a = make(2.0 * channels, sizeof(float));
  void *y = make((double)channels * n, sizeof(float));
  MEASURE(init(channels, n, x, b, a), kernel(channels, n, x, b, a, y));
  hash(channels, n, y);
  free(x);
  free(b);
  free(a);
  free(y);
  return finish();
}
