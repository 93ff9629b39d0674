/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* deriche: the recursive edge detection filter, forwards and backwards along rows, then along columns. */
#define NAME "deriche"
#define MINI 64, 64
#define SMALL 192, 128
#define MEDIUM 720, 480
#define LARGE 4096, 2160
#define EXTRALARGE 7680, 4320
#include "common.h"
#define W DIM(0, w)
#define H DIM(1, h)

NOINLINE static void init(int w, int h, float *alpha, float imgIn[][H])
{
  *alpha = 0.25f;
  for (int i = 0; i < W; i++)
    for (int j = 0; j < H; j++)
      imgIn[i][j] = (float)((313 * (uint64_t)i + 991 * (uint64_t)j) % 65536) / 65535.0f;
}

NOINLINE static void kernel(int w, int h, float alpha, float imgIn[][H], float imgOut[][H], float y1[][H], float y2[][H])
{
  float xm1, tm1, ym1, ym2, xp1, xp2, tp1, tp2, yp1, yp2;
  float k = (1.0f - expf(-alpha)) * (1.0f - expf(-alpha)) / (1.0f + 2.0f * alpha * expf(-alpha) - expf(2.0f * alpha));
  float a1 = k, a5 = k;
  float a2 = k * expf(-alpha) * (alpha - 1.0f), a6 = a2;
  float a3 = k * expf(-alpha) * (alpha + 1.0f), a7 = a3;
  float a4 = -k * expf(-2.0f * alpha), a8 = a4;
  float b1 = powf(2.0f, -alpha), b2 = -expf(-2.0f * alpha);
  float c1 = 1, c2 = 1;

  for (int i = 0; i < W; i++) {
    ym1 = 0.0f;
    ym2 = 0.0f;
    xm1 = 0.0f;
    for (int j = 0; j < H; j++) {
      y1[i][j] = a1 * imgIn[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
      xm1 = imgIn[i][j];
      ym2 = ym1;
      ym1 = y1[i][j];
    }
  }
  for (int i = 0; i < W; i++) {
    yp1 = 0.0f;
    yp2 = 0.0f;
    xp1 = 0.0f;
    xp2 = 0.0f;
    for (int j = H - 1; j >= 0; j--) {
      y2[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
      xp2 = xp1;
      xp1 = imgIn[i][j];
      yp2 = yp1;
      yp1 = y2[i][j];
    }
  }
  for (int i = 0; i < W; i++)
    for (int j = 0; j < H; j++)
      imgOut[i][j] = c1 * (y1[i][j] + y2[i][j]);
  for (int j = 0; j < H; j++) {
    tm1 = 0.0f;
    ym1 = 0.0f;
    ym2 = 0.0f;
    for (int i = 0; i < W; i++) {
      y1[i][j] = a5 * imgOut[i][j] + a6 * tm1 + b1 * ym1 + b2 * ym2;
      tm1 = imgOut[i][j];
      ym2 = ym1;
      ym1 = y1[i][j];
    }
  }
  for (int j = 0; j < H; j++) {
    tp1 = 0.0f;
    tp2 = 0.0f;
    yp1 = 0.0f;
    yp2 = 0.0f;
    for (int i = W - 1; i >= 0; i--) {
      y2[i][j] = a7 * tp1 + a8 * tp2 + b1 * yp1 + b2 * yp2;
      tp2 = tp1;
      tp1 = imgOut[i][j];
      yp2 = yp1;
      yp1 = y2[i][j];
    }
  }
  for (int i = 0; i < W; i++)
    for (int j = 0; j < H; j++)
      imgOut[i][j] = c2 * (y1[i][j] + y2[i][j]);
}

NOINLINE static void hash(int w, int h, float imgOut[][H])
{
  for (int i = 0; i < W; i++)
    for (int j = 0; j < H; j++)
      out_float(imgOut[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int w = size[0], h = size[1];
  if (h < 1)
    return finish();
  float alpha;
  void *imgIn = make((double)w * h, sizeof(float));
  void *imgOut = make((double)w * h, sizeof(float));
  void *y1 = make((double)w * h, sizeof(float));
  void *y2 = make((double)w * h, sizeof(float));
  MEASURE(init(w, h, &alpha, imgIn), kernel(w, h, alpha, imgIn, imgOut, y1, y2));
  hash(w, h, imgOut);
  free(imgIn);
  free(imgOut);
  free(y1);
  free(y2);
  return finish();
}
