/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* warp-affine: an image turned and scaled, each pixel from the four that its place is between. */
#define NAME "warp-affine"
#define MINI 16, 24
#define SMALL 64, 96
#define MEDIUM 512, 768
#define LARGE 2112, 3520
#define EXTRALARGE 4224, 7040
#define INPUTS(A) A(float, in, H, [W])
#define OUTPUTS(A) A(float, out, H, [W])
#define BUFFERS(A)
#include "pipeline.h"
#define AT(y, x) in[CLAMP(y, H)][CLAMP(x, W)]

PIPELINE
{
  BEGIN
  for (int i = 0; i < H; i++)
    for (int j = 0; j < W; j++) {
      float y = 0.1f * (float)j + 0.9f * (float)i - 7.5f, x = 0.95f * (float)j - 0.1f * (float)i + 12.25f;
      int row = (int)floorf(y), column = (int)floorf(x);
      float down = y - floorf(y), right = x - floorf(x);
      float above = AT(row, column) * (1 - right) + AT(row, column + 1) * right;
      float below = AT(row + 1, column) * (1 - right) + AT(row + 1, column + 1) * right;
      out[i][j] = above * (1 - down) + below * down;
    }
  END
}
