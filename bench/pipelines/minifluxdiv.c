/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* minifluxdiv: the divergence of fluxes through the faces of cells, in boxes of a plane, for density, two velocities and
 * pressure: fluxes from four cells, times the velocity across the face, their differences. */
#define NAME "minifluxdiv"
#define MINI 1, 16, 24
#define SMALL 4, 32, 48
#define MEDIUM 16, 128, 128
#define LARGE 128, 128, 128
#define EXTRALARGE 256, 256, 256
#define SIZES int n, int h, int w
#define ARGUMENTS n, h, w
#define READ_SIZES int n = size[0], h = size[1], w = size[2]
#define N DIM(0, n)
#define H DIM(1, h)
#define W DIM(2, w)
#define INPUTS(A) A(double, cell, N, [4][H + 4][W + 4])
#define OUTPUTS(A) A(double, out, N, [4][H][W])
#define BUFFERS(A)                                                                                                          \
  A(double, across, N, [4][H][W + 1])                                                                                       \
  A(double, down, N, [4][H + 1][W]) A(double, flux_x, N, [4][H][W + 1]) A(double, flux_y, N, [4][H + 1][W])
#include "pipeline.h"
#define EACH(h, w)                                                                                                          \
  for (int b = 0; b < N; b++)                                                                                               \
    for (int c = 0; c < 4; c++)                                                                                             \
      for (int i = 0; i < h; i++)                                                                                           \
        for (int j = 0; j < w; j++)
#define FACE(before, left, right, behind) (7 * ((left) + (right)) - ((before) + (behind))) / 12

PIPELINE
{
  BEGIN
  EACH(H, W + 1)
  across[b][c][i][j] =
      FACE(cell[b][c][i + 2][j], cell[b][c][i + 2][j + 1], cell[b][c][i + 2][j + 2], cell[b][c][i + 2][j + 3]);
  EACH(H + 1, W)
  down[b][c][i][j] =
      FACE(cell[b][c][i][j + 2], cell[b][c][i + 1][j + 2], cell[b][c][i + 2][j + 2], cell[b][c][i + 3][j + 2]);
  EACH(H, W + 1) flux_x[b][c][i][j] = across[b][c][i][j] * across[b][1][i][j];
  EACH(H + 1, W) flux_y[b][c][i][j] = down[b][c][i][j] * down[b][2][i][j];
  EACH(H, W)
  out[b][c][i][j] = cell[b][c][i + 2][j + 2] + (flux_x[b][c][i][j] - flux_x[b][c][i][j + 1]) +
                    (flux_y[b][c][i][j] - flux_y[b][c][i + 1][j]);
  END
}
