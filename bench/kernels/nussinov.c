/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* nussinov: the largest number of base pairs of a folded RNA sequence. */
#define NAME "nussinov"
#define MINI 60
#define SMALL 180
#define MEDIUM 500
#define LARGE 2500
#define EXTRALARGE 5500
#include "common.h"
#define N DIM(0, n)

typedef char base;
#define match(b1, b2) ((b1) + (b2) == 3 ? 1 : 0)
#define max_score(s1, s2) ((s1) >= (s2) ? (s1) : (s2))

NOINLINE static void init(int n, base seq[], int table[][N])
{
  for (int i = 0; i < N; i++)
    seq[i] = (base)((int)(1000 * value(i, 1)) % 4);
  memset(table, 0, (size_t)N * N * sizeof(int));
}

NOINLINE static void kernel(int n, base seq[], int table[][N])
{
  for (int i = N - 1; i >= 0; i--)
    for (int j = i + 1; j < N; j++) {
      if (j - 1 >= 0)
        table[i][j] = max_score(table[i][j], table[i][j - 1]);
      if (i + 1 < N)
        table[i][j] = max_score(table[i][j], table[i + 1][j]);
      if (j - 1 >= 0 && i + 1 < N) {
        /* Neighbours can't pair. */
        if (i < j - 1)
          table[i][j] = max_score(table[i][j], table[i + 1][j - 1] + match(seq[i], seq[j]));
        else
          table[i][j] = max_score(table[i][j], table[i + 1][j - 1]);
      }
      for (int k = i + 1; k < j; k++)
        table[i][j] = max_score(table[i][j], table[i][k] + table[k + 1][j]);
    }
}

NOINLINE static void hash(int n, int table[][N])
{
  for (int i = 0; i < N; i++)
    for (int j = i; j < N; j++)
      out_int(table[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int n = size[0];
  if (n < 1)
    return finish();
  void *seq = make(n, sizeof(base));
  void *table = make((double)n * n, sizeof(int));
  MEASURE(init(n, seq, table), kernel(n, seq, table));
  hash(n, table);
  free(seq);
  free(table);
  return finish();
}
