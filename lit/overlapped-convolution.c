// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fig. 1 of Zhao and Di (MICRO 2020), a quantisation, a convolution of 3 x 3 and a ReLU, in tiles of 2 x 2 as in its Fig. 4: the
// reduction and the ReLU are one group, the live-out one; a tile of it needs 4 x 4 elements of A, equation (4), and so many
// instances of S0, the extension schedule (6). Nobody else does: their own nest is gone, as Fig. 5 skips it, and A is never
// stored.
//
// RUN: rm -rf %t && %split-file %s %t
// RUN: %clang -O1 -ffp-contract=off %t/conv.c -o %t/plain && %t/plain > %t/expected
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-commands=%t/commands -mllvm -tessera-print=ast %t/conv.c -o %t/tiled 2>&1 | %FileCheck %s
// RUN: %t/tiled > %t/out && diff %t/expected %t/out
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-commands=%t/commands -mllvm -tessera-print=tree %t/conv.c -o %t/tiled 2>&1 | %FileCheck %s --check-prefix=TREE

// CHECK-LABEL: tessera: conv.0
// CHECK-NOT:   S0(
// CHECK:       // allocate A_1_buffer
// CHECK:         for (int c2 = 0; c2 <= min(3, p_0 - 2 * c0 - 1); c2 += 1) {
// CHECK:           for (int c3 = 0; c3 <= min(3, p_2 - 2 * c1 - 1); c3 += 1)
// CHECK-NEXT:        S0(2 * c0 + c2, 2 * c1 + c3);
// CHECK:         for (int c2 = 0; c2 <= min(1,
// CHECK-NEXT:      for (int c3 = 0; c3 <= min(1,
// CHECK-NEXT:        // allocate A_2_register
// CHECK-NEXT:        {
// CHECK-NEXT:          S1([[I:.*]]);
// CHECK:                 S2([[I]], c4, c5);
// CHECK-NEXT:          S3([[I]]);
// CHECK-NOT:   S{{[0-9]}}(
// CHECK-LABEL: tessera: main
// TREE-LABEL:  tessera: conv.0
// TREE:        S0_at[i0, i1', i1, i3] : i0 >= 0 and 2i0 <= -3 + p_0 and i1' >= 0 and 2i1' <= -3 + p_2 and 0 <= i1 <= 3 and i1 < p_0 - 2i0 and 0 <= i3 <= 3 and i3 < p_2 - 2i1'
// TREE:        schedule: "{{.*}}S0_at[i0, i1', i1, i3] -> [(i0)];{{.*}}[(floor((
// TREE:          mark: "allocate A_1_buffer"
// TREE:            sequence:
// TREE-NEXT:       - filter: "{{.*}}S0_at[
// TREE:            - filter: "{{.*}}S1[

//--- commands
conv:
  overlapped_tiles(2, 2)
//--- conv.c
#include <stdio.h>
#include <stdlib.h>
#define KH 3
#define KW 3
__attribute__((noinline)) void conv(int h, int w, float c[restrict h - KH + 1][w - KW + 1], float in[restrict h][w], float b[restrict KH][KW])
{
  float(*a)[w] = malloc(sizeof(float[h][w]));
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      a[i][j] = (float)(int)(in[i][j] * 16);
  for (int i = 0; i <= h - KH; i++)
    for (int j = 0; j <= w - KW; j++) {
      c[i][j] = 0;
      for (int k = 0; k < KH; k++)
        for (int l = 0; l < KW; l++)
          c[i][j] += a[i + k][j + l] * b[k][l];
    }
  for (int i = 0; i <= h - KH; i++)
    for (int j = 0; j <= w - KW; j++)
      c[i][j] = c[i][j] > 0 ? c[i][j] : 0;
  free(a);
}

int main(void)
{
  static const int size[][2] = {{3, 3}, {4, 3}, {5, 7}, {6, 6}, {7, 6}, {16, 17}, {33, 70}, {64, 65}, {70, 300}};
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++) {
    int h = size[s][0], w = size[s][1];
    float *in = malloc(sizeof(float[h][w])), *c = malloc(sizeof(float[h][w])), b[KH][KW];
    unsigned sum = 0;
    for (int k = 0; k < h * w; k++)
      in[k] = (float)(k * 7 % 23) * 0.3f - 2;
    for (int k = 0; k < KH * KW; k++)
      b[k / KW][k % KW] = (float)(k * 5 % 7) - 3;
    conv(h, w, (void *)c, (void *)in, b);
    for (int k = 0; k < (h - KH + 1) * (w - KW + 1); k++)
      sum = sum * 31 + (unsigned)(int)(c[k] * 4);
    printf("%x\n", sum);
    free(in);
    free(c);
  }
}
