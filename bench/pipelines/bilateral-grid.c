/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* bilateral-grid: an edge-preserving blur: a coarse histogram of the image by place and brightness, blurred in three
 * directions, then interpolated at each pixel. */
#define NAME "bilateral-grid"
#define MINI 16, 24
#define SMALL 64, 96
#define MEDIUM 512, 768
#define LARGE 2560, 1536
#define EXTRALARGE 5120, 3072
#define CELL 8    /* pixels of a cell, each way */
#define LEVELS 12 /* of brightness, with two on either side that are there to be blurred into */
#define GH (H / CELL + 6)
#define GW (W / CELL + 6)
#define INPUTS(A) A(float, in, H, [W])
#define OUTPUTS(A) A(float, out, H, [W])
#define GRID(A, name) A(float, name, GH, [GW][LEVELS + 5][2])
#define BUFFERS(A) GRID(A, grid) GRID(A, gz) GRID(A, gx) GRID(A, gy)
#include "pipeline.h"
#define FIVE(a, b, c, d, e) ((a) + 4 * (b) + 6 * (c) + 4 * (d) + (e))
#define EACH(y0, y1, x0, x1)                                                                                                \
  for (int y = y0; y < GH - y1; y++)                                                                                        \
    for (int x = x0; x < GW - x1; x++)                                                                                      \
      for (int z = 2; z < LEVELS + 3; z++)                                                                                  \
        for (int c = 0; c < 2; c++)

PIPELINE
{
  BEGIN
  for (int y = 0; y < GH; y++)
    for (int x = 0; x < GW; x++)
      for (int z = 0; z < LEVELS + 5; z++)
        for (int c = 0; c < 2; c++)
          grid[y][x][z][c] = 0;
  for (int i = 0; i < H; i++)
    for (int j = 0; j < W; j++) {
      int z = 2 + (int)(LESS(in[i][j], 1.0f) * (LEVELS - 2) + 0.5f);
      grid[(i + CELL / 2) / CELL + 2][(j + CELL / 2) / CELL + 2][z][0] += in[i][j];
      grid[(i + CELL / 2) / CELL + 2][(j + CELL / 2) / CELL + 2][z][1] += 1;
    }
  EACH(0, 0, 0, 0)
  gz[y][x][z][c] =
      FIVE(grid[y][x][z - 2][c], grid[y][x][z - 1][c], grid[y][x][z][c], grid[y][x][z + 1][c], grid[y][x][z + 2][c]);
  EACH(0, 0, 2, 2)
  gx[y][x][z][c] = FIVE(gz[y][x - 2][z][c], gz[y][x - 1][z][c], gz[y][x][z][c], gz[y][x + 1][z][c], gz[y][x + 2][z][c]);
  EACH(2, 2, 2, 2)
  gy[y][x][z][c] = FIVE(gx[y - 2][x][z][c], gx[y - 1][x][z][c], gx[y][x][z][c], gx[y + 1][x][z][c], gx[y + 2][x][z][c]);
  for (int i = 0; i < H; i++)
    for (int j = 0; j < W; j++) {
      float place = LESS(in[i][j], 1.0f) * (LEVELS - 2), sum[2];
      int z = (int)place;
      float fz = place - z, fy = (i % CELL) / (float)CELL, fx = (j % CELL) / (float)CELL;
      for (int c = 0; c < 2; c++) {
        float at[2][2];
        for (int y = 0; y < 2; y++)
          for (int x = 0; x < 2; x++)
            at[y][x] = gy[i / CELL + 2 + y][j / CELL + 2 + x][z + 2][c] * (1 - fz) +
                       gy[i / CELL + 2 + y][j / CELL + 2 + x][z + 3][c] * fz;
        sum[c] = (at[0][0] * (1 - fx) + at[0][1] * fx) * (1 - fy) + (at[1][0] * (1 - fx) + at[1][1] * fx) * fy;
      }
      out[i][j] = sum[0] / sum[1];
    }
  END
}
