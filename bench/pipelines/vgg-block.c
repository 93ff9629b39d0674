/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* vgg-block: two 3 x 3 convolutions with bias and ReLU, then the largest of each 2 x 2; around each image are zeros. */
#define NAME "vgg-block"
#define MINI 1, 3, 4, 8, 10
#define SMALL 2, 4, 8, 16, 18
#define MEDIUM 2, 16, 32, 32, 30
#define LARGE 4, 32, 32, 64, 64
#define EXTRALARGE 8, 64, 64, 112, 112
#define SIZES int n, int ci, int co, int h, int w
#define ARGUMENTS n, ci, co, h, w
#define READ_SIZES int n = size[0], ci = size[1], co = size[2], h = size[3], w = size[4]
#define N DIM(0, n)
#define CI DIM(1, ci)
#define CO DIM(2, co)
#define H DIM(3, h)
#define W DIM(4, w)
#define INPUTS(A)                                                                                                           \
  A(float, in, N, [CI][H + 2][W + 2])                                                                                       \
  A(float, filter1, CO, [CI][3][3]) A(float, bias1, CO, ) A(float, filter2, CO, [CO][3][3]) A(float, bias2, CO, )
#define OUTPUTS(A) A(float, out, N, [CO][H / 2 + 1][W / 2 + 1])
#define BUFFERS(A) A(float, first, N, [CO][H + 2][W + 2]) A(float, second, N, [CO][H][W])
#include "pipeline.h"
#define EACH(h, w)                                                                                                          \
  for (int b = 0; b < N; b++)                                                                                               \
    for (int c = 0; c < CO; c++)                                                                                            \
      for (int i = 0; i < h; i++)                                                                                           \
        for (int j = 0; j < w; j++)
#define FILTERED(to, from, n_from, filter)                                                                                  \
  for (int k = 0; k < n_from; k++)                                                                                          \
    for (int y = 0; y < 3; y++)                                                                                             \
      for (int x = 0; x < 3; x++)                                                                                           \
        to += from[b][k][i + y][j + x] * filter[c][k][y][x];

PIPELINE
{
  BEGIN
  EACH(H + 2, W + 2) first[b][c][i][j] = 0;
  EACH(H, W)
  {
    first[b][c][i + 1][j + 1] = bias1[c];
    FILTERED(first[b][c][i + 1][j + 1], in, CI, filter1)
  }
  EACH(H, W) first[b][c][i + 1][j + 1] = MORE(first[b][c][i + 1][j + 1], 0);
  EACH(H, W)
  {
    second[b][c][i][j] = bias2[c];
    FILTERED(second[b][c][i][j], first, CO, filter2)
  }
  EACH(H, W) second[b][c][i][j] = MORE(second[b][c][i][j], 0);
  EACH(H / 2, W / 2)
  {
    float one = MORE(second[b][c][2 * i][2 * j], second[b][c][2 * i][2 * j + 1]);
    float other = MORE(second[b][c][2 * i + 1][2 * j], second[b][c][2 * i + 1][2 * j + 1]);
    out[b][c][i][j] = MORE(one, other);
  }
  END
}
