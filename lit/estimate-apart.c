// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that may overlap, as far as clang knows: a sum over few, known iterations is stored and loaded at each of them, and of
// colours, three elements apart, clang makes no vectors then. Once they are known to be apart the sum is in a register. So the
// filter is changed, in its own order; not if clang knows it already, nor where there is no such gap between elements. Where
// they do overlap the results are those of the original.
//
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -ffp-contract=off -march=znver5 -fpass-plugin=%plugin -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=znver5 %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: rm -rf %t.dump && mkdir %t.dump
// RUN: %clang -O2 -march=znver5 -fpass-plugin=%plugin -mllvm -tessera-dump=%t.dump -c %s -o %t.o
// RUN: %FileCheck %s --check-prefix=MODEL --input-file=%t.dump/colours.0.scop
// RUN: %not grep checked %t.dump/told.0.scop

// CHECK:       [[@LINE+16]]:3: remark: loop nest transformed
// CHECK:       [[@LINE+27]]:3: remark: loop nest left as it is
// CHECK:       [[@LINE+38]]:3: remark: loop nest left as it is

// Arrays to which nothing is stored are never told apart from each other.
// MODEL-LABEL: arrays:
// MODEL:       checked: true
// MODEL:       checked: true
// MODEL:       checked: true
// MODEL-NOT:   checked: true

#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void colours(int h, int w, float out[][w][3], float in[][w + 2][3], float filter[3][3])
{
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      for (int c = 0; c < 3; c++) {
        out[i][j][c] = 0;
        for (int y = 0; y < 3; y++)
          for (int x = 0; x < 3; x++)
            out[i][j][c] += in[i + y][j + x][c] * filter[y][x];
      }
}

__attribute__((noinline)) void told(int h, int w, float out[restrict][w][3], float in[restrict][w + 2][3], float filter[restrict 3][3])
{
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      for (int c = 0; c < 3; c++) {
        out[i][j][c] = 0;
        for (int y = 0; y < 3; y++)
          for (int x = 0; x < 3; x++)
            out[i][j][c] += in[i + y][j + x][c] * filter[y][x];
      }
}

__attribute__((noinline)) void grey(int h, int w, float out[][w], float in[][w + 2], float filter[3][3])
{
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) {
      out[i][j] = 0;
      for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++)
          out[i][j] += in[i + y][j + x] * filter[y][x];
    }
}

int main(void)
{
  static const int size[][2] = {{1, 1}, {2, 5}, {7, 3}, {16, 31}, {33, 64}, {40, 129}};
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++) {
    int h = size[s][0], w = size[s][1], n = 3 * (h + 2) * (w + 2);
    static const int apart[] = {-1, 0, 3, 50}; /* out in its own memory, or from there on in that of in, the filter behind it */
    for (unsigned a = 0; a < sizeof(apart) / sizeof(*apart); a++) {
      float *in = malloc(sizeof(float[3 * n])), *own = calloc(n, sizeof(float)), taps[9], sum = 0;
      for (int k = 0; k < 3 * n; k++)
        in[k] = (float)(k * 7 % 23) * 0.1f;
      for (int k = 0; k < 9; k++)
        taps[k] = (float)(k + 1) * 0.01f;
      float *out = apart[a] < 0 ? own : in + apart[a], *filter = apart[a] == 50 ? in + 60 : taps;
      colours(h, w, (void *)out, (void *)in, (void *)filter);
      grey(h, w, (void *)out, (void *)in, (void *)filter);
      if (apart[a] < 0)
        told(h, w, (void *)(in + n), (void *)in, (void *)filter);
      for (int k = 0; k < 2 * n; k++)
        sum = sum * 0.37f + in[k] + (k < n ? own[k] : 0);
      printf("%a\n", sum);
      free(in);
      free(own);
    }
  }
}
