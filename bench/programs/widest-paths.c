/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* widest-paths: the most that one path carries from each node to each other one. */
#define NAME "widest-paths"
#define MINI 30
#define SMALL 100
#define MEDIUM 300
#define LARGE 1200
#define EXTRALARGE 2800
#include "../kernels/common.h"
#define N DIM(0, n)

NOINLINE static void init(int n, float width[][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      width[i][j] = (float)value((uint64_t)i * N + j, 1);
}

NOINLINE static void kernel(int n, float width[][N])
{
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        float through = width[i][k] < width[k][j] ? width[i][k] : width[k][j];
        width[i][j] = width[i][j] > through ? width[i][j] : through;
      }
}

NOINLINE static void hash(int n, float width[][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      out_float(width[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int n = size[0];
  if (n < 1)
    return finish();
  void *width = make((double)n * n, sizeof(float));
  MEASURE(init(n, width), kernel(n, width));
  hash(n, width);
  free(width);
  return finish();
}
