/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* local-laplacian: local contrast: for eight brightnesses a pyramid of what would be done to pixels about so bright; each
 * pixel of each level takes from the two that are next to its own brightness. */
#define NAME "local-laplacian"
#define MINI 16, 24
#define SMALL 64, 96
#define MEDIUM 512, 768
#define LARGE 1536, 2560
#define EXTRALARGE 3072, 5120
#define K 8 /* brightnesses */
#include "pyramid.h"
/* clang-format off */
#define INPUTS(A) A(float, rgb, 3, [H][W])
#define OUTPUTS(A) A(float, out, 3, [H][W])
#define LEVEL(A, a, b)                                                                                                      \
  A(float, gt##a, K, [H##a][W##b])                                                                                          \
  A(float, g##b, K, [H##b][W##b]) A(float, it##a, 1, [H##a][W##b]) A(float, i##b, 1, [H##b][W##b])                          \
      A(float, gu##a, K, [H##b][W##a]) A(float, l##a, K, [H##a][W##a]) A(float, ou##a, 1, [H##b][W##a])                     \
          A(float, o##a, 1, [H##a][W##a])
#define BUFFERS(A)                                                                                                          \
  A(float, remap, 2 * K * 256, )                                                                                            \
  A(float, i0, 1, [H0][W0]) A(float, g0, K, [H0][W0]) LEVEL(A, 0, 1) LEVEL(A, 1, 2) LEVEL(A, 2, 3) LEVEL(A, 3, 4)           \
      LEVEL(A, 4, 5) A(float, o5, 1, [H5][W5])
/* clang-format on */
#include "pipeline.h"
#define COARSER(a, b) DOWN(K, g##a, gt##a, g##b, a, b) DOWN(1, i##a, it##a, i##b, a, b)
#define DIFFERENCE(a, b)                                                                                                    \
  UP_ROWS(K, g##b, gu##a, a, b)                                                                                             \
  EACH(K, H##a, W##a) l##a[c][i][j] = g##a[c][i][j] - UP_POINT(gu##a, b);
#define OWN(l, a) /* of the pyramids L that next to the pixel's brightness */                                               \
  EACH(1, H##a, W##a)                                                                                                       \
  {                                                                                                                         \
    float level = i##a[0][i][j] * (K - 1);                                                                                  \
    int k = CLAMP((int)level, K - 1);                                                                                       \
    o##a[0][i][j] = (1 - (level - k)) * l##a[k][i][j] + (level - k) * l##a[k + 1][i][j];                                    \
  }
#define FINER(a, b)                                                                                                         \
  UP_ROWS(1, o##b, ou##a, a, b)                                                                                             \
  EACH(1, H##a, W##a) o##a[0][i][j] += UP_POINT(ou##a, b);

PIPELINE
{
  const float alpha = 1.0f / (K - 1), beta = 1;
  BEGIN
  for (int x = 0; x < 2 * K * 256; x++) {
    float y = (x - K * 256) / 256.0f;
    remap[x] = alpha * y * expf(-y * y * 0.5f);
  }
  EACH(1, H, W) i0[0][i][j] = 0.299f * rgb[0][i][j] + 0.587f * rgb[1][i][j] + 0.114f * rgb[2][i][j];
  EACH(K, H, W)
  {
    int x = CLAMP((int)(i0[0][i][j] * ((K - 1) * 256)), (K - 1) * 256);
    g0[c][i][j] = beta * (i0[0][i][j] - c * alpha) + c * alpha + remap[x - 256 * c + K * 256];
  }
  COARSER(0, 1)
  COARSER(1, 2)
  COARSER(2, 3)
  COARSER(3, 4)
  COARSER(4, 5)
  DIFFERENCE(0, 1)
  DIFFERENCE(1, 2)
  DIFFERENCE(2, 3)
  DIFFERENCE(3, 4)
  DIFFERENCE(4, 5)
  OWN(l, 0)
  OWN(l, 1)
  OWN(l, 2)
  OWN(l, 3)
  OWN(l, 4)
#define l5 g5
  OWN(l, 5)
  FINER(4, 5)
  FINER(3, 4)
  FINER(2, 3)
  FINER(1, 2)
  FINER(0, 1)
  EACH(3, H, W) out[c][i][j] = o0[0][i][j] * (rgb[c][i][j] + 0.01f) / (i0[0][i][j] + 0.01f);
  END
}
