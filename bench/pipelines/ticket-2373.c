/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ticket-2373: a loop over a triangle, whose bounding box is beyond the array: its number among Halide's bugs. */
#define NAME "ticket-2373"
#define MINI 16, 24
#define SMALL 64, 96
#define MEDIUM 512, 768
#define LARGE 2112, 3520
#define EXTRALARGE 4224, 7040
#define INPUTS(A) A(int, in, W, ) A(int, shade, H, )
#define OUTPUTS(A) A(int, out, H, [W][3])
#define BUFFERS(A)
#include "pipeline.h"

PIPELINE
{
  BEGIN
  for (int r = 0; r < H; r++)
    for (int x = 0; x < W; x++)
      if (x >= r)
        for (int c = 0; c < 3; c++)
          out[r][x][c] = in[x - r] + c * shade[r];
  END
}
