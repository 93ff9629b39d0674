/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* shortest-paths: the shortest paths between all pairs of nodes, and the last node before the end of each. */
#define NAME "shortest-paths"
#define MINI 30
#define SMALL 100
#define MEDIUM 300
#define LARGE 1200
#define EXTRALARGE 2800
#include "../kernels/common.h"
#define N DIM(0, n)

NOINLINE static void init(int n, int path[][N], int before[][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      int length = (int)(1000 * value((uint64_t)i * N + j, 1)) % 97 + 1;
      path[i][j] = i == j ? 0 : length % 13 && length % 7 ? length : 9999;
      before[i][j] = path[i][j] < 9999 ? i : -1;
    }
}

NOINLINE static void kernel(int n, int path[][N], int before[][N])
{
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        if (path[i][k] + path[k][j] < path[i][j]) {
          path[i][j] = path[i][k] + path[k][j];
          before[i][j] = before[k][j];
        }
}

NOINLINE static void hash(int n, int path[][N], int before[][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      out_int(path[i][j]);
      out_int(before[i][j]);
    }
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int n = size[0];
  if (n < 1)
    return finish();
  void *path = make((double)n * n, sizeof(int));
  void *before = make((double)n * n, sizeof(int));
  MEASURE(init(n, path, before), kernel(n, path, before));
  hash(n, path, before);
  free(path);
  free(before);
  return finish();
}
