// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strides that are parameters of their own, none a multiple of the other: planes of a padded grid, batches of matrices, heads
// of an attention layer. Planes have as many rows as fit, by assumption; addresses are those of the strides. The same bit for
// bit, also where rows lie in each other, which the assumption is about.
//
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -g -Rpass=tessera -Rpass-analysis=tessera %s -c -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -lm -o %t && %t
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin %s -c -o %t.o
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -lm -o %t && %t
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-tile-sizes=3,5 -mllvm -tessera-parallel -Rpass=tessera %s -c -o %t.o 2>&1 | grep -E '[1-9][0-9]* parallel' | %count 3
// RUN: %clang -O2 -ffp-contract=off -DMAIN %s %t.o -lm -lgomp -o %t && %t
//
// REQUIRES: native-avx2
//
// CHECK: remark: loop nest modelled: 1 statements, depth 3, {{.*}}rows_{{[0-9]+}} >= ny
// CHECK: remark: loop nest transformed
// CHECK: remark: loop nest modelled: 2 statements, depth 4, {{.*}}n <= rows_
// CHECK: remark: loop nest transformed: {{.*}}register tiles
// CHECK: remark: loop nest modelled: 2 statements, depth 5, {{.*}}NH <= rows_
// CHECK: remark: loop nest transformed: {{.*}}register tiles
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MAIN
#define F(NAME) NAME##_plain
#else
#define F(NAME) NAME
#endif

void F(smooth)(float *restrict a, const float *restrict b, long nx, long ny, long nz, long sy, long sz)
{
  for (long z = 1; z < nz - 1; z++)
    for (long y = 1; y < ny - 1; y++)
      for (long x = 1; x < nx - 1; x++)
        a[z * sz + y * sy + x] = b[z * sz + y * sy + x] + .5f * (b[(z - 1) * sz + y * sy + x] + b[z * sz + (y + 1) * sy + x - 1]);
}

void F(batch)(float *restrict c, const float *restrict a, const float *restrict b, int B, int n, int lda, int sa, int ldb,
              int sb, int ldc, int sc)
{
  for (int z = 0; z < B; z++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        float s = 0;
        for (int k = 0; k < n; k++)
          s += a[z * sa + i * lda + k] * b[z * sb + k * ldb + j];
        c[z * sc + i * ldc + j] = s;
      }
}

/* Queries, keys and values of one position lie side by side, and in each of them the heads. */
void F(heads)(float *restrict out, const float *restrict inp, const float *restrict att, int B, int T, int C, int NH)
{
  int hs = C / NH;
  for (int b = 0; b < B; b++)
    for (int t = 0; t < T; t++)
      for (int h = 0; h < NH; h++) {
        float *o = out + b * T * C + t * C + h * hs;
        const float *w = att + b * NH * T * T + h * T * T + t * T;
        for (int i = 0; i < hs; i++)
          o[i] = 0;
        for (int u = 0; u <= t; u++) {
          const float *v = inp + b * T * C * 3 + u * C * 3 + h * hs + C * 2;
          for (int i = 0; i < hs; i++)
            o[i] += w[u] * v[i];
        }
      }
}

#ifdef MAIN
void smooth(float *restrict a, const float *restrict b, long nx, long ny, long nz, long sy, long sz);
void batch(float *restrict c, const float *restrict a, const float *restrict b, int B, int n, int lda, int sa, int ldb, int sb,
           int ldc, int sc);
void heads(float *restrict out, const float *restrict inp, const float *restrict att, int B, int T, int C, int NH);

#define N 400000
static float in[2][N], out[2][N];

static void fill(void)
{
  for (int i = 0; i < N; i++) {
    in[0][i] = (float)(rand() % 1000) / 7;
    in[1][i] = (float)(rand() % 1000) / 9;
    out[0][i] = out[1][i] = (float)i;
  }
}

static int n_wrong, n_run;

static void compare(const char *what, int t)
{
  n_run++;
  if (memcmp(out[0], out[1], sizeof(out[0])) != 0 && n_wrong++ < 5)
    printf("%s: other results in round %d\n", what, t);
}

int main(void)
{
  static const int size[] = {0, 1, 2, 3, 5, 7, 16, 17, 31, 33, 50};
  for (int t = 0; t < 150; t++) {
    srand((unsigned)t);
    int n = size[rand() % 11], B = size[rand() % 6], ld[3], s[3];
    for (int k = 0; k < 3; k++) {
      ld[k] = n + rand() % 5;
      s[k] = ld[k] * n + (rand() % 3 ? rand() % 40 : 0);
      if (t % 10 == 9 && k > 0) /* in each other */
        s[k] = ld[k] * (n ? n - 1 : 0) + rand() % 3;
    }
    fill();
    batch(out[0], in[0], in[1], B, n, ld[0], s[0], ld[1], s[1], ld[2], s[2]);
    batch_plain(out[1], in[0], in[1], B, n, ld[0], s[0], ld[1], s[1], ld[2], s[2]);
    compare("batch", t);
    fill();
    smooth(out[0], in[0], n, n, 5 + B, ld[0], s[0]);
    smooth_plain(out[1], in[0], n, n, 5 + B, ld[0], s[0]);
    compare("smooth", t);
    fill();
    int NH = 1 + rand() % 4, C = NH * (rand() % 40) + (t % 7 == 0 ? rand() % 3 : 0);
    heads(out[0], in[0], in[1], 1 + B % 3, n, C, NH);
    heads_plain(out[1], in[0], in[1], 1 + B % 3, n, C, NH);
    compare("heads", t);
  }
  printf("%d of %d wrong\n", n_wrong, n_run);
  return n_wrong != 0;
}
#endif
