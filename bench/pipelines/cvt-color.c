/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cvt-color: from interleaved colours to grey, in fixed point: one stage. */
#define NAME "cvt-color"
#define MINI 16, 24
#define SMALL 64, 96
#define MEDIUM 512, 768
#define LARGE 2112, 3520
#define EXTRALARGE 4224, 7040
#define INPUTS(A) A(uint8_t, in, H, [W][3])
#define OUTPUTS(A) A(uint8_t, out, H, [W])
#define BUFFERS(A)
#include "pipeline.h"

PIPELINE
{
  BEGIN
  for (int i = 0; i < H; i++)
    for (int j = 0; j < W; j++)
      out[i][j] = (uint8_t)((in[i][j][2] * 1868 + in[i][j][1] * 9617 + in[i][j][0] * 4899 + (1 << 13)) >> 14);
  END
}
