// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blur of Jangda and Guha (TOPLAS 2020), Fig. 1, in tiles of 64 x 64 as Fig. 3 has them: a tile computes 64 x 66 elements of
// blurx for itself, in a buffer, and overlaps its neighbours by two columns; the array is gone. Here each colour has tiles of
// its own. By default rows are longer: what one core computes needs no more tiles than caches do.
//
// RUN: rm -rf %t && %split-file %s %t && mkdir %t/scops
// RUN: %clang -O1 -ffp-contract=off %t/blur.c -o %t/plain && %t/plain > %t/expected
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-commands=%t/commands -mllvm -tessera-print=ast -mllvm -tessera-dump=%t/scops %t/blur.c -o %t/tiled 2>&1 | %FileCheck %s
// RUN: %t/tiled > %t/out && diff %t/expected %t/out
// RUN: %tessera --commands=%t/commands --until=check --print=text %t/scops/blur.0.scop | %FileCheck %s --check-prefix=BUFFER
// RUN: %clang -O2 -ffp-contract=off -march=znver5 -fpass-plugin=%plugin -mllvm -tessera-print=ast -c %t/blur.c -o %t/default.o 2>&1 | %FileCheck %s --check-prefix=DEFAULT
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-commands=%t/commands -mllvm -tessera-parallel %t/blur.c -o %t/threads -lgomp
// RUN: env OMP_NUM_THREADS=3 %t/threads > %t/out && diff %t/expected %t/out

// CHECK-LABEL: tessera: blur.0
// CHECK:       for (int c0 = 0; c0 <= 2; c0 += 1)
// CHECK-NEXT:    for (int c1 = 0; c1 <= floord([[R:p_[0-9]]] - 1, 64); c1 += 1)
// CHECK-NEXT:      for (int c2 = 0; c2 <= floord([[C:p_[0-9]]] - 1, 64); c2 += 1) {
// CHECK-NEXT:        // allocate A_1_buffer
// CHECK:               for (int c4 = 0; c4 <= min(63, [[R]] - 64 * c1 - 1); c4 += 1)
// CHECK:                 for (int c5 = 0; c5 <= min(65, [[C]] - 64 * c2 + 1); c5 += 1)
// CHECK-NEXT:              S0(c0, 64 * c1 + c4, 64 * c2 + c5);
// CHECK:               for (int c4 = 0; c4 <= min(63, [[R]] - 64 * c1 - 1); c4 += 1)
// CHECK:                 for (int c5 = 0; c5 <= min(63, [[C]] - 64 * c2 - 1); c5 += 1)
// CHECK-NEXT:              S1(c0, 64 * c1 + c4, 64 * c2 + c5);
// CHECK-NOT:   S{{[0-9]}}(

// BUFFER:      name: A_1_buffer
// BUFFER:      extent: "{ A_1_buffer[0, i1, i2] : 0 <= i1 <= 63 and 0 <= i2 <= 65 }"

// DEFAULT-LABEL: tessera: blur.0
// DEFAULT:     for (int c2 = 0; c2 <= floord({{.*}}, {{[0-9][0-9][0-9][0-9]}}); c2 += 1) {
// DEFAULT-NEXT:  // allocate A_1_buffer
// DEFAULT:       S0(
// DEFAULT:       S1(
// DEFAULT-NOT: S0(

//--- commands
blur:
  overlapped_tiles(64, 64)
//--- blur.c
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) void blur(long r, long c, float blurry[restrict 3][r][c], const float img[restrict 3][r + 2][c + 2])
{
  float(*blurx)[r][c + 2] = malloc(sizeof(float[3][r][c + 2]));
  for (int k = 0; k < 3; k++)
    for (int x = 0; x < r; x++)
      for (int y = 0; y < c + 2; y++)
        blurx[k][x][y] = (img[k][x][y] + img[k][x + 1][y] + img[k][x + 2][y]) / 3.0f;
  for (int k = 0; k < 3; k++)
    for (int x = 0; x < r; x++)
      for (int y = 0; y < c; y++)
        blurry[k][x][y] = (blurx[k][x][y] + blurx[k][x][y + 1] + blurx[k][x][y + 2]) / 3.0f;
  free(blurx);
}

int main(void)
{
  static const int size[][2] = {{1, 1}, {2, 65}, {63, 64}, {64, 63}, {65, 127}, {128, 128}, {200, 131}};
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++) {
    int r = size[s][0], c = size[s][1], n = 3 * (r + 2) * (c + 2);
    float *img = malloc(sizeof(float[n])), *out = calloc(n, sizeof(float));
    unsigned sum = 0;
    for (int k = 0; k < n; k++)
      img[k] = (float)(k * 7 % 23) * 0.1f;
    blur(r, c, (void *)out, (void *)img);
    for (int k = 0; k < n; k++)
      sum = sum * 31 + (unsigned)(int)(out[k] * 1000);
    printf("%x\n", sum);
    free(img);
    free(out);
  }
}
