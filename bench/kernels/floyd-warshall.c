/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* floyd-warshall: the lengths of the shortest paths between all pairs of nodes. */
#define NAME "floyd-warshall"
#define MINI 60
#define SMALL 180
#define MEDIUM 500
#define LARGE 2800
#define EXTRALARGE 5600
#include "common.h"
#define N DIM(0, n)

NOINLINE static void init(int n, int path[][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      int length = (int)(1000 * value((uint64_t)i * N + j, 1)) % 97 + 1;
      path[i][j] = length % 13 && length % 7 ? length : 999;
    }
}

NOINLINE static void kernel(int n, int path[][N])
{
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
}

NOINLINE static void hash(int n, int path[][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      out_int(path[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int n = size[0];
  if (n < 1)
    return finish();
  void *path = make((double)n * n, sizeof(int));
  MEASURE(init(n, path), kernel(n, path));
  hash(n, path);
  free(path);
  return finish();
}
