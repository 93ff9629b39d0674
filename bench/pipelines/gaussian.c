/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gaussian: a 5 x 5 Gaussian filter of interleaved colours, in two passes, with the filters as arrays. */
#define NAME "gaussian"
#define MINI 16, 24
#define SMALL 64, 96
#define MEDIUM 512, 768
#define LARGE 2112, 3520
#define EXTRALARGE 4224, 7040
#define INPUTS(A) A(float, in, H, [W][3]) A(float, kx, 5, ) A(float, ky, 5, )
#define OUTPUTS(A) A(float, out, H, [W][3])
#define BUFFERS(A) A(float, gx, H, [W][3])
#include "pipeline.h"

PIPELINE
{
  BEGIN
  for (int i = 0; i < H; i++)
    for (int j = 0; j < W - 4; j++)
      for (int c = 0; c < 3; c++) {
        gx[i][j][c] = 0;
        for (int r = 0; r < 5; r++)
          gx[i][j][c] += in[i][j + r][c] * kx[r];
      }
  for (int i = 0; i < H - 4; i++)
    for (int j = 0; j < W - 4; j++)
      for (int c = 0; c < 3; c++) {
        out[i][j][c] = 0;
        for (int r = 0; r < 5; r++)
          out[i][j][c] += gx[i + r][j][c] * ky[r];
      }
  END
}
