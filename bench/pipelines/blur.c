/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* blur: the mean of 3 x 3 pixels, in two passes. */
#define NAME "blur"
#define MINI 16, 24
#define SMALL 64, 96
#define MEDIUM 512, 768
#define LARGE 2832, 4256
#define EXTRALARGE 5664, 8512
#define INPUTS(A) A(uint16_t, in, H, [W])
#define OUTPUTS(A) A(uint16_t, out, H, [W])
#define BUFFERS(A) A(uint16_t, bx, H, [W])
#include "pipeline.h"

PIPELINE
{
  BEGIN
  for (int i = 0; i < H; i++)
    for (int j = 0; j < W - 2; j++)
      bx[i][j] = (in[i][j] + in[i][j + 1] + in[i][j + 2]) / 3;
  for (int i = 0; i < H - 2; i++)
    for (int j = 0; j < W - 2; j++)
      out[i][j] = (bx[i][j] + bx[i + 1][j] + bx[i + 2][j]) / 3;
  END
}
