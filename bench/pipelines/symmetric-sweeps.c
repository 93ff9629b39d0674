/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* symmetric-sweeps: the smoother of the HPCG benchmark on its own mesh, 27 points in space: a Gauss-Seidel sweep forth, one
 * back; then what is left, at each second point of each dimension. */
#define NAME "symmetric-sweeps"
#define MINI 4, 6, 8
#define SMALL 8, 12, 16
#define MEDIUM 32, 32, 32
#define LARGE 104, 104, 104
#define EXTRALARGE 192, 192, 192
#define SIZES int d, int h, int w
#define ARGUMENTS d, h, w
#define READ_SIZES int d = size[0], h = size[1], w = size[2]
#define D DIM(0, d)
#define H DIM(1, h)
#define W DIM(2, w)
#define INPUTS(A) A(double, right, D, [H][W]) A(double, guess, D + 2, [H + 2][W + 2])
#define OUTPUTS(A) A(double, x, D + 2, [H + 2][W + 2]) A(double, coarse, D / 2 + 1, [H / 2 + 1][W / 2 + 1])
#define BUFFERS(A) A(double, left, D, [H][W])
#include "pipeline.h"
#define ROW(v, k, i) v[k][i][j] + v[k][i][j + 1] + v[k][i][j + 2]
#define PLANE(v, k) ROW(v, k, i) + ROW(v, k, i + 1) + ROW(v, k, i + 2)
#define BESIDE                                                                                                              \
  (PLANE(x, k) + ROW(x, k + 1, i) + x[k + 1][i + 1][j] + x[k + 1][i + 1][j + 2] + ROW(x, k + 1, i + 2) + PLANE(x, k + 2))

PIPELINE
{
  BEGIN
  for (int k = 0; k < D + 2; k++)
    for (int i = 0; i < H + 2; i++)
      for (int j = 0; j < W + 2; j++)
        x[k][i][j] = guess[k][i][j];
  for (int k = 0; k < D; k++)
    for (int i = 0; i < H; i++)
      for (int j = 0; j < W; j++)
        x[k + 1][i + 1][j + 1] = (right[k][i][j] + BESIDE) / 26;
  for (int k = D - 1; k >= 0; k--)
    for (int i = H - 1; i >= 0; i--)
      for (int j = W - 1; j >= 0; j--)
        x[k + 1][i + 1][j + 1] = (right[k][i][j] + BESIDE) / 26;
  for (int k = 0; k < D; k++)
    for (int i = 0; i < H; i++)
      for (int j = 0; j < W; j++)
        left[k][i][j] = right[k][i][j] - 26 * x[k + 1][i + 1][j + 1] + BESIDE;
  for (int k = 0; k < D / 2; k++)
    for (int i = 0; i < H / 2; i++)
      for (int j = 0; j < W / 2; j++)
        coarse[k][i][j] = left[2 * k][2 * i][2 * j];
  END
}
