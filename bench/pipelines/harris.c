/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* harris: how much of a corner each pixel is: the eigenvalues of the products of derivatives, summed over 3 x 3 pixels. */
#define NAME "harris"
#define MINI 16, 24
#define SMALL 64, 96
#define MEDIUM 512, 768
#define LARGE 2832, 4256
#define EXTRALARGE 5664, 8512
/* clang-format off */
#define INPUTS(A) A(float, rgb, 3, [H][W])
#define OUTPUTS(A) A(float, out, H, [W])
#define PLANE(A, name) A(float, name, H, [W])
#define BUFFERS(A)                                                                                                          \
  PLANE(A, gray)                                                                                                            \
  PLANE(A, ix) PLANE(A, iy) PLANE(A, ixx) PLANE(A, iyy) PLANE(A, ixy) PLANE(A, sxx) PLANE(A, syy) PLANE(A, sxy)             \
      PLANE(A, det) PLANE(A, trace)
/* clang-format on */
#include "pipeline.h"
#define EACH(edge)                                                                                                          \
  for (int i = edge; i < H - edge; i++)                                                                                     \
    for (int j = edge; j < W - edge; j++)
#define SUM(a)                                                                                                              \
  (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j - 1] + a[i + 1][j] +  \
   a[i + 1][j + 1])

PIPELINE
{
  BEGIN
  EACH(0) gray[i][j] = 0.299f * rgb[0][i][j] + 0.587f * rgb[1][i][j] + 0.114f * rgb[2][i][j];
  EACH(1)
  iy[i][j] = (gray[i + 1][j - 1] - gray[i - 1][j - 1] + 2 * (gray[i + 1][j] - gray[i - 1][j]) + gray[i + 1][j + 1] -
              gray[i - 1][j + 1]) /
             12;
  EACH(1)
  ix[i][j] = (gray[i - 1][j + 1] - gray[i - 1][j - 1] + 2 * (gray[i][j + 1] - gray[i][j - 1]) + gray[i + 1][j + 1] -
              gray[i + 1][j - 1]) /
             12;
  EACH(1) ixx[i][j] = ix[i][j] * ix[i][j];
  EACH(1) iyy[i][j] = iy[i][j] * iy[i][j];
  EACH(1) ixy[i][j] = ix[i][j] * iy[i][j];
  EACH(2) sxx[i][j] = SUM(ixx);
  EACH(2) syy[i][j] = SUM(iyy);
  EACH(2) sxy[i][j] = SUM(ixy);
  EACH(2) det[i][j] = sxx[i][j] * syy[i][j] - sxy[i][j] * sxy[i][j];
  EACH(2) trace[i][j] = sxx[i][j] + syy[i][j];
  EACH(2) out[i][j] = det[i][j] - 0.04f * trace[i][j] * trace[i][j];
  END
}
