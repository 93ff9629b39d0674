// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Is a pointer there? That is a flag, not a distance of some bytes: wherever in memory it points, new code runs. Of two loops
// whose iterations are independent, of a matrix product in batches, the inner one is the rows of register tiles, as batches
// are few: both are told by the test of sizes.
//
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -g -Rpass=tessera -Rpass-analysis=tessera %s -c -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
//
// REQUIRES: native-avx2
//
// CHECK: remark: loop nest modelled: {{.*}}assuming {{.*}}-> { {{ ?}}: }
// CHECK: remark: loop nest transformed: {{.*}}register tiles {{.*}}; runs where T >= {{[0-9]+}} and OC
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MAIN
#define F(NAME) NAME##_plain
#else
#define F(NAME) NAME
#endif

void F(forward)(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC)
{
  for (int b = 0; b < B; b++)
    for (int t = 0; t < T; t++) {
      int bt = b * T + t;
      for (int o = 0; o < OC; o++) {
        float val = (bias != NULL) ? bias[o] : 0.0f;
        for (int i = 0; i < C; i++)
          val += inp[bt * C + i] * weight[o * C + i];
        out[bt * OC + o] = val;
      }
    }
}

#ifdef MAIN
void forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC);

static float in[3][20000], out[2][20000];

int main(void)
{
  static const int size[] = {0, 1, 3, 6, 8, 17, 33, 40};
  int wrong = 0;
  for (int i = 0; i < 20000; i++) {
    in[0][i] = (float)(i * 7919 % 1000) / 8;
    in[1][i] = (float)(i * 31 % 1000) / 7;
    in[2][i] = (float)(i * 13 % 1000) / 3;
  }
  for (int t = 0; t < 8 * 8 * 8; t++)
    for (int k = 0; k < 2; k++) {
      memset(out, 0, sizeof(out));
      forward(out[0], in[0], in[1], k ? in[2] : NULL, 1 + t % 3, size[t % 8], size[t / 8 % 8], size[t / 64]);
      forward_plain(out[1], in[0], in[1], k ? in[2] : NULL, 1 + t % 3, size[t % 8], size[t / 8 % 8], size[t / 64]);
      wrong += memcmp(out[0], out[1], sizeof(out[0])) != 0;
    }
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
#endif
