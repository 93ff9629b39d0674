/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* fdtd-2d: the finite-difference time-domain method for Maxwell's equations in the plane. */
#define NAME "fdtd-2d"
#define MINI 20, 20, 30
#define SMALL 40, 60, 80
#define MEDIUM 100, 200, 240
#define LARGE 500, 1000, 1200
#define EXTRALARGE 1000, 2000, 2600
#include "common.h"
#define TMAX DIM(0, tmax)
#define NX DIM(1, nx)
#define NY DIM(2, ny)

NOINLINE static void init(int tmax, int nx, int ny, double ex[][NY], double ey[][NY], double hz[][NY], double fict[])
{
  for (int t = 0; t < TMAX; t++)
    fict[t] = (double)t;
  fill(&ex[0][0], (double)NX * NY, 1);
  fill(&ey[0][0], (double)NX * NY, 2);
  fill(&hz[0][0], (double)NX * NY, 3);
}

NOINLINE static void kernel(int tmax, int nx, int ny, double ex[][NY], double ey[][NY], double hz[][NY], double fict[])
{
  for (int t = 0; t < TMAX; t++) {
    for (int j = 0; j < NY; j++)
      ey[0][j] = fict[t];
    for (int i = 1; i < NX; i++)
      for (int j = 0; j < NY; j++)
        ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
    for (int i = 0; i < NX; i++)
      for (int j = 1; j < NY; j++)
        ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
    for (int i = 0; i < NX - 1; i++)
      for (int j = 0; j < NY - 1; j++)
        hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}

NOINLINE static void hash(int nx, int ny, double ex[][NY], double ey[][NY], double hz[][NY])
{
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++) {
      out_double(ex[i][j]);
      out_double(ey[i][j]);
      out_double(hz[i][j]);
    }
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int tmax = size[0], nx = size[1], ny = size[2];
  if (nx < 1 || ny < 1)
    return finish();
  void *ex = make((double)nx * ny, sizeof(double));
  void *ey = make((double)nx * ny, sizeof(double));
  void *hz = make((double)nx * ny, sizeof(double));
  void *fict = make(tmax, sizeof(double));
  MEASURE(init(tmax, nx, ny, ex, ey, hz, fict), kernel(tmax, nx, ny, ex, ey, hz, fict));
  hash(nx, ny, ex, ey, hz);
  free(ex);
  free(ey);
  free(hz);
  free(fict);
  return finish();
}
