/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* blending: two images, blended by a mask level by level of their Laplacian pyramids. */
#define NAME "blending"
#define MINI 16, 24
#define SMALL 64, 96
#define MEDIUM 512, 768
#define LARGE 2160, 3840
#define EXTRALARGE 4320, 7680
#include "pyramid.h"
/* clang-format off */
#define INPUTS(A) A(float, x0, 3, [H][W]) A(float, y0, 3, [H][W]) A(float, m0, 1, [H][W])
#define OUTPUTS(A) A(float, o0, 3, [H][W])
#define LEVEL(A, a, b)                                                                                                      \
  A(float, xt##a, 3, [H##a][W##b])                                                                                          \
  A(float, x##b, 3, [H##b][W##b]) A(float, yt##a, 3, [H##a][W##b]) A(float, y##b, 3, [H##b][W##b])                          \
      A(float, mt##a, 1, [H##a][W##b]) A(float, m##b, 1, [H##b][W##b]) A(float, xu##a, 3, [H##b][W##a])                     \
          A(float, yu##a, 3, [H##b][W##a]) A(float, xl##a, 3, [H##a][W##a]) A(float, yl##a, 3, [H##a][W##a])                \
              A(float, ou##a, 3, [H##b][W##a]) A(float, bl##a, 3, [H##a][W##a])
#define BUFFERS(A)                                                                                                          \
  LEVEL(A, 0, 1) LEVEL(A, 1, 2) LEVEL(A, 2, 3) A(float, o1, 3, [H1][W1]) A(float, o2, 3, [H2][W2]) A(float, o3, 3, [H3][W3])
/* clang-format on */
#include "pipeline.h"
#define COARSER(a, b) DOWN(3, x##a, xt##a, x##b, a, b) DOWN(3, y##a, yt##a, y##b, a, b) DOWN(1, m##a, mt##a, m##b, a, b)
#define DIFFERENCE(x, a, b)                                                                                                 \
  UP_ROWS(3, x##b, x##u##a, a, b)                                                                                           \
  EACH(3, H##a, W##a) x##l##a[c][i][j] = x##a[c][i][j] - UP_POINT(x##u##a, b);
#define BLEND(to, x, y, a) EACH(3, H##a, W##a) to[c][i][j] = x[c][i][j] * m##a[0][i][j] + y[c][i][j] * (1 - m##a[0][i][j]);
#define LEVELS(a, b) DIFFERENCE(x, a, b) DIFFERENCE(y, a, b) BLEND(bl##a, xl##a, yl##a, a)
#define FINER(a, b)                                                                                                         \
  UP_ROWS(3, o##b, ou##a, a, b)                                                                                             \
  EACH(3, H##a, W##a) o##a[c][i][j] = bl##a[c][i][j] + UP_POINT(ou##a, b);

PIPELINE
{
  BEGIN
  COARSER(0, 1)
  COARSER(1, 2)
  COARSER(2, 3)
  LEVELS(0, 1)
  LEVELS(1, 2)
  LEVELS(2, 3)
  BLEND(o3, x3, y3, 3)
  FINER(2, 3)
  FINER(1, 2)
  FINER(0, 1)
  END
}
