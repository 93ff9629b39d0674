/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* matrix-chain: the least number of multiplications for a product of many matrices. */
#define NAME "matrix-chain"
#define MINI 30
#define SMALL 100
#define MEDIUM 300
#define LARGE 1200
#define EXTRALARGE 3000
#include "../kernels/common.h"
#define N DIM(0, n)

NOINLINE static void init(int n, int rows[])
{
  for (int i = 0; i <= N; i++)
    rows[i] = (int)(50 * value(i, 1));
}

NOINLINE static void kernel(int n, int rows[], int cost[][N])
{
  for (int i = N - 1; i >= 0; i--) {
    cost[i][i] = 0;
    for (int j = i + 1; j < N; j++) {
      int best = INT_MAX;
      for (int k = i; k < j; k++) {
        int sum = cost[i][k] + cost[k + 1][j] + rows[i] * rows[k + 1] * rows[j + 1];
        best = sum < best ? sum : best;
      }
      cost[i][j] = best;
    }
  }
}

NOINLINE static void hash(int n, int cost[][N])
{
  for (int i = 0; i < N; i++)
    for (int j = i; j < N; j++)
      out_int(cost[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int n = size[0];
  if (n < 1)
    return finish();
  void *rows = make(n + 1.0, sizeof(int));
  void *cost = make((double)n * n, sizeof(int));
  MEASURE(init(n, rows), kernel(n, rows, cost));
  hash(n, cost);
  free(rows);
  free(cost);
  return finish();
}
