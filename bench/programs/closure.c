/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* closure: the transitive closure of a relation. */
#define NAME "closure"
#define MINI 30
#define SMALL 100
#define MEDIUM 300
#define LARGE 2000
#define EXTRALARGE 4000
#include "../kernels/common.h"
#define N DIM(0, n)

NOINLINE static void init(int n, char reach[][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      reach[i][j] = value((uint64_t)i * N + j, 1) * N < 0.1 * N + 2;
}

NOINLINE static void kernel(int n, char reach[][N])
{
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
}

NOINLINE static void hash(int n, char reach[][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      out_int(reach[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int n = size[0];
  if (n < 1)
    return finish();
  void *reach = make((double)n * n, sizeof(char));
  MEASURE(init(n, reach), kernel(n, reach));
  hash(n, reach);
  free(reach);
  return finish();
}
