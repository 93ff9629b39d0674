/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* conv2d: a 3 x 3 filter of interleaved colours, which goes on at the borders with the nearest pixel. */
#define NAME "conv2d"
#define MINI 16, 24
#define SMALL 64, 96
#define MEDIUM 512, 768
#define LARGE 2112, 3520
#define EXTRALARGE 4224, 7040
#define INPUTS(A) A(float, in, H, [W][3]) A(float, filter, 3, [3])
#define OUTPUTS(A) A(float, out, H, [W][3])
#define BUFFERS(A)
#include "pipeline.h"

PIPELINE
{
  BEGIN
  for (int i = 0; i < H; i++)
    for (int j = 0; j < W; j++)
      for (int c = 0; c < 3; c++) {
        out[i][j][c] = 0;
        for (int y = 0; y < 3; y++)
          for (int x = 0; x < 3; x++)
            out[i][j][c] += in[CLAMP(i + y - 1, H)][CLAMP(j + x - 1, W)][c] * filter[y][x];
      }
  END
}
