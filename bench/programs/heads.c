/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heads: two products one behind the other for each of several heads, as in attention without its softmax: scores of all
 * pairs of positions, in one matrix for all heads, then what they weigh. */
#define NAME "heads"
#define MINI 2, 20, 8
#define SMALL 4, 50, 16
#define MEDIUM 8, 128, 32
#define LARGE 16, 512, 64
#define EXTRALARGE 32, 1024, 64
#include "../kernels/common.h"
#define HEADS DIM(0, heads)
#define T DIM(1, t)
#define D DIM(2, d)

NOINLINE static void init(int heads, int t, int d, float q[][T][D], float k[][D][T], float v[][T][D])
{
  for (int h = 0; h < HEADS; h++)
    for (int i = 0; i < T; i++)
      for (int j = 0; j < D; j++) {
        q[h][i][j] = (float)value(h + 3 * i + j, 1) - 0.6f;
        k[h][j][i] = (float)value(h + i + 5 * j, 2) - 0.6f;
        v[h][i][j] = (float)value(2 * h + i + j, 3);
      }
}

NOINLINE static void kernel(int heads, int t, int d, float q[restrict][T][D], float k[restrict][D][T],
                            float v[restrict][T][D], float scores[restrict][T], float out[restrict][T][D])
{
  for (int h = 0; h < HEADS; h++) {
    for (int i = 0; i < T; i++)
      for (int j = 0; j < T; j++) {
        scores[i][j] = 0;
        for (int l = 0; l < D; l++)
          scores[i][j] += q[h][i][l] * k[h][l][j];
      }
    for (int i = 0; i < T; i++)
      for (int j = 0; j < D; j++) {
        out[h][i][j] = 0;
        for (int l = 0; l < T; l++)
          out[h][i][j] += scores[i][l] * v[h][l][j];
      }
  }
}

NOINLINE static void hash(int heads, int t, int d, float scores[][T], float out[][T][D])
{
  for (int i = 0; i < T; i++)
    for (int j = 0; j < T; j++)
      out_float(scores[i][j]);
  for (int h = 0; h < HEADS; h++)
    for (int i = 0; i < T; i++)
      for (int j = 0; j < D; j++)
        out_float(out[h][i][j]);
}

int main(int argc, char **argv)
{
  start(argc, argv);
  int heads = size[0], t = size[1], d = size[2];
  void *q = make((double)heads * t * d, sizeof(float));
  void *k = make((double)heads * t * d, sizeof(float));
  void *v = make((double)heads * t * d, sizeof(float));
  void *out = make((double)heads * t * d, sizeof(float));
  void *scores = make((double)t * t, sizeof(float));
  MEASURE(init(heads, t, d, q, k, v), kernel(heads, t, d, q, k, v, scores, out));
  hash(heads, t, d, scores, out);
  free(q);
  free(k);
  free(v);
  free(out);
  free(scores);
  return finish();
}
