/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* optimal-bst: the cost of the best binary search tree for keys of known frequencies. */
#define NAME "optimal-bst"
#define MINI 30
#define SMALL 100
#define MEDIUM 300
#define LARGE 1200
#define EXTRALARGE 3000
#include "../kernels/common.h"
#define N DIM(0, n)

NOINLINE static void init(int n, int hits[], int misses[])
{
  for (int i = 0; i <= N; i++) {
    hits[i] = (int)(1000 * value(i, 1));
    misses[i] = (int)(500 * value(i, 2));
  }
}

NOINLINE static void kernel(int n, int hits[], int misses[], int cost[][N + 1], int weight[][N + 1])
{
  for (int i = 1; i <= N + 1; i++) {
    cost[i][i - 1] = misses[i - 1];
    weight[i][i - 1] = misses[i - 1];
  }
  for (int length = 1; length <= N; length++)
    for (int i = 1; i <= N - length + 1; i++) {
      int j = i + length - 1;
      weight[i][j] = weight[i][j - 1] + hits[j] + misses[j];
      cost[i][j] = INT_MAX;
      for (int root = i; root <= j; root++) {
        int sum = cost[i][root - 1] + cost[root + 1][j] + weight[i][j];
        if (sum < cost[i][j])
          cost[i][j] = sum;
      }
    }
}

NOINLINE static void hash(int n, int cost[][N + 1])
{
  for (int i = 1; i <= N + 1; i++)
    for (int j = i - 1; j <= N; j++)
      out_int(cost[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int n = size[0];
  void *hits = make(n + 1.0, sizeof(int));
  void *misses = make(n + 1.0, sizeof(int));
  void *cost = make((n + 2.0) * (n + 1.0), sizeof(int));
  void *weight = make((n + 2.0) * (n + 1.0), sizeof(int));
  MEASURE(init(n, hits, misses), kernel(n, hits, misses, cost, weight));
  hash(n, cost);
  free(hits);
  free(misses);
  free(cost);
  free(weight);
  return finish();
}
