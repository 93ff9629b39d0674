// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pipelines of images in one tile: planes of half the resolution, n / 2, that are interleaved again; stages that choose by
// comparing pixels, between which a value is in a scalar; a table that is looked up; a nest for each colour at the end, which
// become one. The sizes (n / 2, n) go together, so pixels of three bytes are modelled as such. Results are the same at all sizes.
// RUN: %clang -O2 -ffp-contract=off %s -o %t.plain
// RUN: %t.plain > %t.plain.txt
// RUN: echo 'pixels: overlapped_tiles(8, 32); vectorize(); only' > %t.commands
// RUN: echo 'parts: overlapped_tiles(8, 32); separate(); vectorize(); only' >> %t.commands
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-commands=%t.commands -mllvm -tessera-budget=0 -mllvm -tessera-print=ast \
// RUN:   %s -o %t.commanded 2> %t.ast
// RUN: %FileCheck %s --input-file=%t.ast
// RUN: %t.commanded > %t.commanded.txt && diff %t.plain.txt %t.commanded.txt
// RUN: %clang -O2 -fpass-plugin=%plugin %s -o %t.chosen
// RUN: %t.chosen > %t.chosen.txt && diff %t.plain.txt %t.chosen.txt
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-parallel -mllvm -tessera-force %s -o %t.threads -lgomp
// RUN: env OMP_NUM_THREADS=3 %t.threads > %t.threads.txt && diff %t.plain.txt %t.threads.txt
// RUN: mkdir -p %t.dump && %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-dump=%t.dump -c %s -o /dev/null
// RUN: %FileCheck %s --check-prefix=MODEL --input-file=%t.dump/pixels.0.scop
// RUN: echo 'rows: overlapped_tiles()' > %t.refused
// RUN: %not %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-commands=%t.refused -c %s -o /dev/null 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=REFUSED
// REFUSED: overlapped_tiles: no nest reads what others compute for it alone

// CHECK-LABEL: tessera: pixels.0
// CHECK:       // allocate A_{{[0-9]+}}_buffer, A_{{[0-9]+}}_buffer
// CHECK:         S0(
// CHECK:             // allocate A_{{[0-9]+}}_register
// CHECK-NEXT:        {
// CHECK-NEXT:          S1(
// CHECK-NEXT:          S2(
// CHECK:         // vector
// CHECK-NEXT:    for (
// CHECK-NEXT:      S7(
// CHECK-NEXT:      S8(
// CHECK-NEXT:      S9(
// CHECK-LABEL: tessera: parts.0
// CHECK:       // allocate A_{{[0-9]+}}_buffer
// CHECK:         if (p_2 >= 5 && c1 == 0) {
// CHECK-NEXT:      // vector
// CHECK-NEXT:      for (int c3 = 0; c3 <= 1; c3 += 1)
// CHECK-NEXT:        S0(

// p / 2 and p go together, and pixels have three elements:
// MODEL: context: "{{.*}} 2{{[a-z_0-9]+}}
// MODEL: write: "{ {{.*}}, 0] }"
// MODEL: write: "{ {{.*}}, 1] }"
// MODEL: write: "{ {{.*}}, 2] }"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define H2 (h / 2)
#define W2 (w / 2)
#define APART(a, b) abs((a) - (b))

void pixels(int h, int w, uint8_t in[][w], uint8_t out[][w][3], const uint8_t *restrict table)
{
  int16_t(*half)[W2] = malloc(sizeof(int16_t[H2 + 1][W2 + 1]));
  int16_t(*even)[W2] = malloc(sizeof(int16_t[H2 + 1][W2 + 1]));
  int16_t(*full)[w] = malloc(sizeof(int16_t[h + 1][w + 1]));
  for (int i = 0; i < H2; i++)
    for (int j = 0; j < W2; j++)
      half[i][j] = in[2 * i][2 * j] + in[2 * i + 1][2 * j + 1];
  for (int i = 1; i < H2 - 1; i++)
    for (int j = 1; j < W2 - 1; j++)
      even[i][j] = APART(half[i][j - 1], half[i][j + 1]) < APART(half[i - 1][j], half[i + 1][j])
                       ? (half[i][j - 1] + half[i][j + 1]) / 2
                       : (half[i - 1][j] + half[i + 1][j]) / 2;
  for (int i = 1; i < H2 - 1; i++)
    for (int j = 1; j < W2 - 1; j++) {
      full[2 * i][2 * j] = half[i][j];
      full[2 * i][2 * j + 1] = even[i][j];
      full[2 * i + 1][2 * j] = even[i][j];
      full[2 * i + 1][2 * j + 1] = half[i][j];
    }
  for (int i = 2; i < 2 * H2 - 2; i++)
    for (int j = 2; j < 2 * W2 - 2; j++)
      out[i][j][0] = table[full[i][j] & 255];
  for (int i = 2; i < 2 * H2 - 2; i++)
    for (int j = 2; j < 2 * W2 - 2; j++)
      out[i][j][1] = table[(full[i][j] >> 1) & 255];
  for (int i = 2; i < 2 * H2 - 2; i++)
    for (int j = 2; j < 2 * W2 - 2; j++)
      out[i][j][2] = table[(full[i][j] >> 2) & 255];
  free(half);
  free(even);
  free(full);
}

// Borders that are clamped, within tiles: loops of buffers are taken apart.
void parts(int h, int w, float in[][w], float out[][w])
{
  float(*a)[w] = malloc(sizeof(float[h + 1][w + 1]));
  float(*b)[w] = malloc(sizeof(float[h + 1][w + 1]));
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      a[i][j] = in[i][j < 2 ? 0 : j - 2] + in[i][j] + in[i][j < w - 2 ? j + 2 : w - 1];
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      b[i][j] = a[i < 2 ? 0 : i - 2][j] + a[i][j] + a[i < h - 2 ? i + 2 : h - 1][j];
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      out[i][j] = b[i][j] - in[i][j];
  free(a);
  free(b);
}

// A stage that reads its own results, row after row, can't be computed for a tile alone.
void rows(int h, int w, float in[][w], float out[][w])
{
  float(*a)[w] = malloc(sizeof(float[h + 1][w + 1]));
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      a[i][j] = i > 0 && a[i - 1][j] > in[i][j] ? a[i - 1][j] : in[i][j];
  for (int i = 0; i < h - 1; i++)
    for (int j = 0; j < w; j++)
      out[i][j] += a[i][j] + a[i + 1][j];
  free(a);
}

int main(void)
{
  static const int size[] = {1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 32, 33, 65, 130, 521};
  static const int n = sizeof(size) / sizeof(*size);
  uint8_t table[256];
  for (int i = 0; i < 256; i++)
    table[i] = (uint8_t)(i * 37 + 11);
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      int h = size[a], w = size[b];
      uint8_t *in = malloc((size_t)h * w), *out = calloc((size_t)h * w, 3);
      float *from = malloc(sizeof(float) * h * w), *to = calloc((size_t)h * w, sizeof(float));
      for (int i = 0; i < h * w; i++) {
        in[i] = (uint8_t)(i * 7919 + (i >> 3));
        from[i] = in[i] * 0.25f;
      }
      pixels(h, w, (void *)in, (void *)out, table);
      parts(h, w, (void *)from, (void *)to);
      rows(h, w, (void *)from, (void *)to);
      uint64_t hash = 14695981039346656037u;
      for (int i = 0; i < 3 * h * w; i++)
        hash = (hash ^ out[i]) * 1099511628211u;
      for (int i = 0; i < h * w; i++) {
        uint32_t bits;
        memcpy(&bits, &to[i], 4);
        hash = (hash ^ bits) * 1099511628211u;
      }
      printf("%d %d %llx\n", h, w, (unsigned long long)hash);
      free(in);
      free(out);
      free(from);
      free(to);
    }
}
