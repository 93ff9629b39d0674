// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lookups, gathers and scatters end no SCoP: stages before and behind them are in the same one. What is looked up may be any
// element, as may what is written; dependences keep the order.
//
// RUN: %clang -O1 %s -o %t.plain -lm && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only -Rpass=tessera \
// RUN:   -Rpass-missed=tessera -Rpass-analysis=tessera %s -o %t -lm 2>&1 | %FileCheck %s --implicit-check-not='not modelled' \
// RUN:   --implicit-check-not='SCoP ends'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-tile-sizes=4 %s -o %t -lm
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-schedule=maxfuse %s -o %t -lm
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t -lm
// RUN: %t > %t.out && diff %t.expected %t.out

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 45
#define TEST __attribute__((noinline))
#define EACH                                                                                                                \
  for (int i = 0; i < n; i++)                                                                                               \
    for (int j = 0; j < n; j++)

// CHECK: loop nest modelled: 4 statements
// CHECK-NOT: loop nest modelled
// A curve that is computed, looked up by a stage between two others; errno, which is no array of the caller's
TEST void test_curve(int n, unsigned char *out, const float *in, int offset)
{
  unsigned char *curve = malloc(256);
  float(*mid)[n] = malloc(sizeof(float) * (n + 1) * (n + 1));
  unsigned char(*toned)[n] = malloc((size_t)(n + 1) * (n + 1));
  for (int x = 0; x < 256; x++)
    curve[x] = (unsigned char)(255 * sqrtf((x + offset) / 300.0f));
  EACH mid[i][j] = in[i * n + j] * 2 + in[j * n + i];
  EACH toned[i][j] = curve[(int)mid[i][j]];
  EACH out[i * n + j] = toned[i][j] / 2 + toned[j][i] / 2;
  free(curve);
  free(mid);
  free(toned);
}

// CHECK: loop nest modelled: {{[45]}} statements
// CHECK-NOT: loop nest modelled
// A histogram: written anywhere, in order, then read anywhere
TEST void test_equalised(int n, int *restrict out, const unsigned char *restrict in)
{
  int count[256], sum[256];
  for (int x = 0; x < 256; x++)
    count[x] = 0;
  EACH count[in[i * n + j]] += 1;
  sum[0] = count[0];
  for (int x = 1; x < 256; x++)
    sum[x] = sum[x - 1] + count[x];
  EACH out[i * n + j] = sum[in[j * n + i]];
}

// CHECK: loop nest modelled: {{[3-5]}} statements
// CHECK-NOT: loop nest modelled
// What is written anywhere keeps its order: sums of floating point, and last values
TEST void test_scattered(int n, float *restrict out, float *restrict last, const float *restrict in, const int *restrict at)
{
  for (int x = 0; x < 64; x++)
    out[x] = last[x] = 0;
  EACH
  {
    out[at[i * n + j] & 63] += in[j * n + i];
    last[at[j * n + i] & 31] = in[i * n + j];
  }
  for (int x = 1; x < 64; x++)
    last[x] += out[x - 1] + out[at[x] & 63];
}

static float in[N * N], f_out[64], f_last[64];
static unsigned char bytes[N * N], b_out[N * N + 1];
static int at[N * N], i_out[N * N];

static unsigned hash(const void *p, size_t n)
{
  const unsigned char *c = p;
  unsigned h = 5381;
  while (n--)
    h = h * 33 + *c++;
  return h;
}

int main(void)
{
  static const int size[] = {0, 1, 2, 3, 7, 16, 31, 45};
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++) {
    int n = size[s];
    srand(n);
    for (int i = 0; i < N * N; i++) {
      in[i] = (float)(rand() % 8000) / 100;
      at[i] = rand();
      bytes[i] = (unsigned char)(rand() >> 7);
    }
    test_curve(n, b_out, in, n);
    test_equalised(n, i_out, bytes);
    test_scattered(n, f_out, f_last, in, at);
    printf("%d %x %x %x %x\n", n, hash(b_out, sizeof(b_out)), hash(i_out, sizeof(i_out)), hash(f_out, sizeof(f_out)),
           hash(f_last, sizeof(f_last)));
    test_curve(n, (unsigned char *)in, in, n); // in place
    printf("%x\n", hash(in, sizeof(in)));
  }
}
