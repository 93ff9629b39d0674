/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gap-alignment: local alignment of two sequences with any cost of a gap, as Smith and Waterman have it. */
#define NAME "gap-alignment"
#define MINI 30, 40
#define SMALL 60, 80
#define MEDIUM 150, 200
#define LARGE 600, 800
#define EXTRALARGE 1500, 2000
#include "../kernels/common.h"
#define M DIM(0, m)
#define N DIM(1, n)

NOINLINE static void init(int m, int n, char a[], char b[], int gap[])
{
  for (int i = 0; i < M; i++)
    a[i] = (char)((int)(1000 * value(i, 1)) % 4);
  for (int j = 0; j < N; j++)
    b[j] = (char)((int)(1000 * value(j, 2)) % 4);
  for (int k = 0; k <= M + N; k++)
    gap[k] = k ? 4 + k - k / 8 : 0;
}

static inline int larger(int x, int y)
{
  return x > y ? x : y;
}

NOINLINE static void kernel(int m, int n, char a[], char b[], int gap[], int score[][N + 1])
{
  for (int i = 0; i <= M; i++)
    score[i][0] = 0;
  for (int j = 0; j <= N; j++)
    score[0][j] = 0;
  for (int i = 1; i <= M; i++)
    for (int j = 1; j <= N; j++) {
      int best = larger(0, score[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 3 : -3));
      for (int k = 1; k <= i; k++)
        best = larger(best, score[i - k][j] - gap[k]);
      for (int k = 1; k <= j; k++)
        best = larger(best, score[i][j - k] - gap[k]);
      score[i][j] = best;
    }
}

NOINLINE static void hash(int m, int n, int score[][N + 1])
{
  for (int i = 0; i <= M; i++)
    for (int j = 0; j <= N; j++)
      out_int(score[i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int m = size[0], n = size[1];
  void *a = make(m, sizeof(char));
  void *b = make(n, sizeof(char));
  void *gap = make(m + n + 1.0, sizeof(int));
  void *score = make((m + 1.0) * (n + 1.0), sizeof(int));
  MEASURE(init(m, n, a, b, gap), kernel(m, n, a, b, gap, score));
  hash(m, n, score);
  free(a);
  free(b);
  free(gap);
  free(score);
  return finish();
}
