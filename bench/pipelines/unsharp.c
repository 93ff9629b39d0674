/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* unsharp: an unsharp mask of three planes: edges are where a pixel differs from its blurred surroundings. */
#define NAME "unsharp"
#define MINI 16, 24
#define SMALL 64, 96
#define MEDIUM 512, 768
#define LARGE 2832, 4256
#define EXTRALARGE 5664, 8512
#define INPUTS(A) A(float, in, 3, [H][W])
#define OUTPUTS(A) A(float, out, 3, [H][W])
#define BUFFERS(A) A(float, by, 3, [H][W]) A(float, bx, 3, [H][W]) A(float, sharp, 3, [H][W])
#include "pipeline.h"

PIPELINE
{
  const float weight = 3, threshold = 0.001f;
  BEGIN
  for (int c = 0; c < 3; c++)
    for (int i = 2; i < H - 2; i++)
      for (int j = 0; j < W; j++)
        by[c][i][j] = (in[c][i - 2][j] + in[c][i + 2][j]) * 0.0625f + (in[c][i - 1][j] + in[c][i + 1][j]) * 0.25f +
                      in[c][i][j] * 0.375f;
  for (int c = 0; c < 3; c++)
    for (int i = 2; i < H - 2; i++)
      for (int j = 2; j < W - 2; j++)
        bx[c][i][j] = (by[c][i][j - 2] + by[c][i][j + 2]) * 0.0625f + (by[c][i][j - 1] + by[c][i][j + 1]) * 0.25f +
                      by[c][i][j] * 0.375f;
  for (int c = 0; c < 3; c++)
    for (int i = 2; i < H - 2; i++)
      for (int j = 2; j < W - 2; j++)
        sharp[c][i][j] = in[c][i][j] * (1 + weight) - bx[c][i][j] * weight;
  for (int c = 0; c < 3; c++)
    for (int i = 2; i < H - 2; i++)
      for (int j = 2; j < W - 2; j++)
        out[c][i][j] = fabsf(in[c][i][j] - bx[c][i][j]) < threshold ? in[c][i][j] : sharp[c][i][j];
  END
}
