/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* interpolate: pixels that are missing, by their opacity, are filled in from a pyramid of ten levels. */
#define NAME "interpolate"
#define MINI 16, 24
#define SMALL 64, 96
#define MEDIUM 512, 768
#define LARGE 2560, 1536
#define EXTRALARGE 5120, 3072
#include "pyramid.h"
/* clang-format off */
#define INPUTS(A) A(float, in, 4, [H][W])
#define OUTPUTS(A) A(float, out, 4, [H][W])
#define LEVEL(A, a, b)                                                                                                      \
  A(float, t##a, 4, [H##a][W##b])                                                                                           \
  A(float, d##b, 4, [H##b][W##b]) A(float, u##a, 4, [H##b][W##a]) A(float, o##a, 4, [H##a][W##a])
#define BUFFERS(A)                                                                                                          \
  A(float, d0, 4, [H0][W0])                                                                                                 \
  LEVEL(A, 0, 1) LEVEL(A, 1, 2) LEVEL(A, 2, 3) LEVEL(A, 3, 4) LEVEL(A, 4, 5) LEVEL(A, 5, 6) LEVEL(A, 6, 7) LEVEL(A, 7, 8)   \
      LEVEL(A, 8, 9) A(float, o9, 4, [H9][W9])
/* clang-format on */
#include "pipeline.h"
#define FINER(a, b)                                                                                                         \
  UP_ROWS(4, o##b, u##a, a, b)                                                                                              \
  EACH(4, H##a, W##a) o##a[c][i][j] = d##a[c][i][j] + (1 - d##a[3][i][j]) * UP_POINT(u##a, b);

PIPELINE
{
  BEGIN
  EACH(3, H, W) d0[c][i][j] = in[c][i][j] * in[3][i][j];
  EACH(1, H, W) d0[3][i][j] = in[3][i][j];
  DOWN(4, d0, t0, d1, 0, 1)
  DOWN(4, d1, t1, d2, 1, 2)
  DOWN(4, d2, t2, d3, 2, 3)
  DOWN(4, d3, t3, d4, 3, 4)
  DOWN(4, d4, t4, d5, 4, 5)
  DOWN(4, d5, t5, d6, 5, 6)
  DOWN(4, d6, t6, d7, 6, 7)
  DOWN(4, d7, t7, d8, 7, 8)
  DOWN(4, d8, t8, d9, 8, 9)
  EACH(4, H9, W9) o9[c][i][j] = d9[c][i][j];
  FINER(8, 9)
  FINER(7, 8)
  FINER(6, 7)
  FINER(5, 6)
  FINER(4, 5)
  FINER(3, 4)
  FINER(2, 3)
  FINER(1, 2)
  FINER(0, 1)
  EACH(3, H, W) out[c][i][j] = o0[c][i][j] / o0[3][i][j];
  EACH(1, H, W) out[3][i][j] = 1;
  END
}
