/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* knapsack: which things to take: the most value in a bag for each of its sizes. */
#define NAME "knapsack"
#define MINI 20, 100
#define SMALL 50, 400
#define MEDIUM 100, 5000
#define LARGE 500, 100000
#define EXTRALARGE 1000, 200000
#include "../kernels/common.h"
#define ITEMS DIM(0, items)
#define ROOM DIM(1, room)

NOINLINE static void init(int items, int weight[], int worth[])
{
  for (int i = 0; i < ITEMS; i++) {
    weight[i] = (int)(100 * value(i, 1));
    worth[i] = (int)(1000 * value(i, 2));
  }
}

NOINLINE static void kernel(int items, int room, int weight[], int worth[], int best[][ROOM + 1])
{
  for (int c = 0; c <= ROOM; c++)
    best[0][c] = 0;
  for (int i = 1; i <= ITEMS; i++)
    for (int c = 0; c <= ROOM; c++) {
      best[i][c] = best[i - 1][c];
      if (weight[i - 1] <= c) {
        int with = best[i - 1][c - weight[i - 1]] + worth[i - 1];
        if (with > best[i][c])
          best[i][c] = with;
      }
    }
}

NOINLINE static void hash(int items, int room, int best[][ROOM + 1])
{
  for (int i = 0; i <= ITEMS; i++)
    for (int c = 0; c <= ROOM; c++)
      out_int(best[i][c]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int items = size[0], room = size[1];
  void *weight = make(items, sizeof(int));
  void *worth = make(items, sizeof(int));
  void *best = make((items + 1.0) * (room + 1.0), sizeof(int));
  MEASURE(init(items, weight, worth), kernel(items, room, weight, worth, best));
  hash(items, room, best);
  free(weight);
  free(worth);
  free(best);
  return finish();
}
