/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* smith-waterman: local alignment of two sequences, each gap as dear as it is long. */
#define NAME "smith-waterman"
#define MINI 30, 40
#define SMALL 100, 120
#define MEDIUM 500, 600
#define LARGE 6000, 8000
#define EXTRALARGE 12000, 16000
#include "../kernels/common.h"
#define M DIM(0, m)
#define N DIM(1, n)

NOINLINE static void init(int m, int n, char a[], char b[])
{
  for (int i = 0; i < M; i++)
    a[i] = (char)((int)(1000 * value(i, 1)) % 4);
  for (int j = 0; j < N; j++)
    b[j] = (char)((int)(1000 * value(j, 2)) % 4);
}

static inline int larger(int x, int y)
{
  return x > y ? x : y;
}

NOINLINE static void kernel(int m, int n, char a[], char b[], int score[][N + 1])
{
  for (int i = 0; i <= M; i++)
    score[i][0] = 0;
  for (int j = 0; j <= N; j++)
    score[0][j] = 0;
  for (int i = 1; i <= M; i++)
    for (int j = 1; j <= N; j++) {
      int pair = score[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 3 : -3);
      int gap = larger(score[i - 1][j], score[i][j - 1]) - 2;
      score[i][j] = larger(0, larger(pair, gap));
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
  void *score = make((m + 1.0) * (n + 1.0), sizeof(int));
  MEASURE(init(m, n, a, b), kernel(m, n, a, b, score));
  hash(m, n, score);
  free(a);
  free(b);
  free(score);
  return finish();
}
