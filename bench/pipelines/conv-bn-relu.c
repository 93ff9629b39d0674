/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* conv-bn-relu: a layer of a network: 3 x 3 convolution, batch normalisation with the batch's own statistics, ReLU. */
#define NAME "conv-bn-relu"
#define MINI 2, 3, 4, 8, 9
#define SMALL 2, 4, 8, 16, 18
#define MEDIUM 4, 8, 16, 32, 30
#define LARGE 8, 32, 32, 64, 66
#define EXTRALARGE 16, 64, 64, 66, 66
#define SIZES int n, int ci, int co, int h, int w
#define ARGUMENTS n, ci, co, h, w
#define READ_SIZES int n = size[0], ci = size[1], co = size[2], h = size[3], w = size[4]
#define N DIM(0, n)
#define CI DIM(1, ci)
#define CO DIM(2, co)
#define H DIM(3, h)
#define W DIM(4, w)
#define INPUTS(A)                                                                                                           \
  A(float, in, N, [CI][H + 2][W + 2]) A(float, filter, CO, [CI][3][3]) A(float, scale, CO, ) A(float, shift, CO, )
#define OUTPUTS(A) A(float, out, N, [CO][H][W])
#define BUFFERS(A) A(float, conv, N, [CO][H][W]) A(float, mean, CO, ) A(float, var, CO, )
#include "pipeline.h"
#define EACH                                                                                                                \
  for (int b = 0; b < N; b++)                                                                                               \
    for (int c = 0; c < CO; c++)                                                                                            \
      for (int i = 0; i < H; i++)                                                                                           \
        for (int j = 0; j < W; j++)

PIPELINE
{
  const float count = (float)N * H * W;
  BEGIN
  EACH
  {
    conv[b][c][i][j] = 0;
    for (int k = 0; k < CI; k++)
      for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++)
          conv[b][c][i][j] += in[b][k][i + y][j + x] * filter[c][k][y][x];
  }
  for (int c = 0; c < CO; c++)
    mean[c] = var[c] = 0;
  EACH mean[c] += conv[b][c][i][j] / count;
  EACH var[c] += (conv[b][c][i][j] - mean[c]) * (conv[b][c][i][j] - mean[c]) / count;
  for (int c = 0; c < CO; c++)
    var[c] = scale[c] / sqrtf(var[c] + 0.00001f);
  EACH
  {
    float x = (conv[b][c][i][j] - mean[c]) * var[c] + shift[c];
    out[b][c][i][j] = x > 0 ? x : 0;
  }
  END
}
