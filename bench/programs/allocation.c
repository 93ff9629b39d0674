/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocation: how much of a stock goes to each of some plants: a knapsack with a table of gains. */
#define NAME "allocation"
#define MINI 10, 40
#define SMALL 20, 120
#define MEDIUM 40, 500
#define LARGE 60, 3000
#define EXTRALARGE 120, 6000
#include "../kernels/common.h"
#define PLANTS DIM(0, plants)
#define STOCK DIM(1, stock)

NOINLINE static void init(int plants, int stock, int gain[][STOCK + 1])
{
  for (int p = 0; p < PLANTS; p++)
    for (int x = 0; x <= STOCK; x++)
      gain[p][x] = x ? gain[p][x - 1] + (int)(100 * value((uint64_t)p * (STOCK + 1) + x, 1)) : 0;
}

NOINLINE static void kernel(int plants, int stock, int gain[][STOCK + 1], int best[][STOCK + 1])
{
  for (int s = 0; s <= STOCK; s++)
    best[0][s] = 0;
  for (int p = 1; p <= PLANTS; p++)
    for (int s = 0; s <= STOCK; s++) {
      best[p][s] = best[p - 1][s];
      for (int x = 1; x <= s; x++) {
        int sum = best[p - 1][s - x] + gain[p - 1][x];
        if (best[p][s] < sum)
          best[p][s] = sum;
      }
    }
}

NOINLINE static void hash(int plants, int stock, int best[][STOCK + 1])
{
  for (int p = 0; p <= PLANTS; p++)
    for (int s = 0; s <= STOCK; s++)
      out_int(best[p][s]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int plants = size[0], stock = size[1];
  void *gain = make(plants * (stock + 1.0), sizeof(int));
  void *best = make((plants + 1.0) * (stock + 1.0), sizeof(int));
  MEASURE(init(plants, stock, gain), kernel(plants, stock, gain, best));
  hash(plants, stock, best);
  free(gain);
  free(best);
  return finish();
}
