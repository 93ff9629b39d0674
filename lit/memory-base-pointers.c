// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layers of a network: a nest in a loop with a call, of one part of an array at l * B * T * C, in which sizes are narrower
// numbers, (int)T * (int)C. The part begins where the pointer to it says; its rows are the nest's own.
//
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -g -Rpass=tessera -Rpass-analysis=tessera -Rpass-missed=tessera %s -c -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -lm -o %t && %t
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel %s -c -o %t.o
// RUN: %clang -O2 -ffp-contract=off -DMAIN %s %t.o -lm -lgomp -o %t && %t
//
// REQUIRES: native-avx2
//
// CHECK: remark: loop nest modelled: {{[0-9]+}} statements, depth 3, 6 arrays, 5 pairs checked for overlap
// CHECK: remark: loop nest transformed: {{.*}}in lanes
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MAIN
#define F(NAME) NAME##_plain
#else
#define F(NAME) NAME
#endif

void done(float *a);

static void normalise(float *out, float *mean, float *inp, float *weight, int B, int T, int C)
{
  for (int b = 0; b < B; b++)
    for (int t = 0; t < T; t++) {
      float *x = inp + b * T * C + t * C, *o = out + b * T * C + t * C;
      float m = 0, v = 0;
      for (int i = 0; i < C; i++)
        m += x[i];
      m = m / C;
      for (int i = 0; i < C; i++)
        v += (x[i] - m) * (x[i] - m);
      float s = 1.0f / sqrtf(v / C + 1e-5f);
      for (int i = 0; i < C; i++)
        o[i] = s * (x[i] - m) * weight[i];
      mean[b * T + t] = m;
    }
}

void F(layers)(float *a, float *b, float *m, float *w, size_t B, size_t T, size_t C, size_t L)
{
  for (size_t l = 0; l < L; l++) {
    normalise(a + l * B * T * C, m + l * B * T, b + l * B * T * C, w + l * C, B, T, C);
    done(a);
  }
}

#ifdef MAIN
void layers(float *a, float *b, float *m, float *w, size_t B, size_t T, size_t C, size_t L);

__attribute__((noinline)) void done(float *a)
{
  a[0] += 1;
}

#define N 60000
static float in[2][N], out[2][2 * N];

int main(void)
{
  int wrong = 0;
  for (int t = 0; t < 60; t++) {
    srand((unsigned)t);
    size_t B = rand() % 4, T = rand() % 40, C = rand() % 40, L = rand() % 4;
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < N; i++)
        in[0][i] = (float)(i * 7919 % 1000) / 7, in[1][i] = (float)(i * 31 % 100);
      for (int i = 0; i < 2 * N; i++)
        out[k][i] = (float)i;
      float *to = t % 5 == 4 ? in[0] + rand() % 3 : out[k]; /* in each other */
      (k ? layers_plain : layers)(to, in[0], out[k] + N, in[1], B, T, C, L);
      if (t % 5 == 4)
        memcpy(out[k], in[0], sizeof(in[0]));
      srand((unsigned)t);
      for (int i = 0; i < 4; i++)
        rand();
    }
    wrong += memcmp(out[0], out[1], sizeof(out[0])) != 0;
  }
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
#endif
