// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters of a few, known taps, whose sums are in memory in the source: which order of loops is best there the estimate doesn't
// know, and what it takes for best is left alone. Tiles that leave the loops as they are, and an array out, are tried then.
//
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=znver5 -gline-tables-only -Rpass=tessera -Rpass-missed=tessera %s -o %t 2>&1 | %FileCheck %s
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK: [[@LINE+9]]:3: remark: loop nest transformed{{.*}}runs where
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void filter(int h, int w, float out[restrict h][w][3], float in[restrict h][w][3],
                                      float kx[restrict 5], float ky[restrict 5])
{
  float(*gx)[w][3] = malloc(sizeof(float[h][w][3]));

  for (int i = 0; i < h; i++)
    for (int j = 0; j < w - 4; j++)
      for (int c = 0; c < 3; c++) {
        gx[i][j][c] = 0;
        for (int r = 0; r < 5; r++)
          gx[i][j][c] += in[i][j + r][c] * kx[r];
      }
  for (int i = 0; i < h - 4; i++)
    for (int j = 0; j < w - 4; j++)
      for (int c = 0; c < 3; c++) {
        out[i][j][c] = 0;
        for (int r = 0; r < 5; r++)
          out[i][j][c] += gx[i + r][j][c] * ky[r];
      }
  free(gx);
}

int main(void)
{
  static const int size[][2] = {{5, 5}, {6, 9}, {40, 70}, {400, 400}, {770, 777}};
  float kx[5] = {1, 2, 3, 2, 1}, ky[5] = {1, 3, 5, 3, 1};
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++) {
    int h = size[s][0], w = size[s][1], n = 3 * h * w;
    float *in = malloc(sizeof(float[n])), *out = calloc(n, sizeof(float));
    unsigned sum = 0;
    for (int k = 0; k < n; k++)
      in[k] = (float)(k * 7 % 23) * 0.1f;
    filter(h, w, (void *)out, (void *)in, kx, ky);
    for (int k = 0; k < n; k++)
      sum = sum * 31 + (unsigned)(int)(out[k] * 4);
    printf("%x\n", sum);
    free(in);
    free(out);
  }
}
