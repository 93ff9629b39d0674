// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over several loops, as in convolutions, keep their own order in register tiles: no loop of theirs is skewed, whatever
// band a scheduler makes of them, and results are the same bit for bit. By command, too, where the loops are no permutable band.
//
// RUN: rm -rf %t && %split-file %s %t
// RUN: %clang -O1 %t/sums.c -o %t/plain && %t/plain > %t/expected
// RUN: %clang -O2 -march=znver5 -fpass-plugin=%plugin -mllvm -tessera-print=ast -c %t/sums.c -o %t/default.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-print=ast %t/sums.c -o %t/forced 2>&1 | %FileCheck %s
// RUN: %t/forced > %t/out && diff %t/expected %t/out
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/commands -mllvm -tessera-print=ast %t/sums.c -o %t/commanded 2>&1 | %FileCheck %s --check-prefix=COMMAND
// RUN: %t/commanded > %t/out && diff %t/expected %t/out
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel %t/sums.c -o %t/threads -lgomp
// RUN: env OMP_NUM_THREADS=3 %t/threads > %t/out && diff %t/expected %t/out

// The loops of the sum are those over channels, rows and columns of the filter, from their first iterations on.
// CHECK-LABEL: tessera: convolution.0
// CHECK:       // registers {{[0-9]+x[0-9]+x[0-9]+}} over 3
// CHECK-NEXT:    for (int [[K:c[0-9]+]] = 0; [[K]] < p_{{[0-9]}}; [[K]] += 1)
// CHECK-NEXT:      for (int [[Y:c[0-9]+]] = 0; [[Y]] <= 2; [[Y]] += 1)
// CHECK-NEXT:        for (int [[X:c[0-9]+]] = 0; [[X]] <= 2; [[X]] += 1)

// In a loop over images, of rows that the sum begins with; the filter's rows come last first.
// CHECK-LABEL: tessera: mirrored.0
// CHECK:       // registers {{[0-9]+x[0-9]+x[0-9]+}} over 2
// CHECK-NEXT:    for (int [[Y:c[0-9]+]] = 0; [[Y]] < p_{{[0-9]}}; [[Y]] += 1)
// CHECK-NEXT:      for (int [[X:c[0-9]+]] = 0; [[X]] <= 4; [[X]] += 1)

// A sum in a variable of its own, which each of the three loops hands on to the next one, lives in the element.
// CHECK-LABEL: tessera: in_a_variable.0
// CHECK:       // registers {{[0-9]+x[0-9]+x[0-9]+}} over 3
// CHECK-LABEL: tessera: added_to.0
// CHECK:       // registers {{[0-9]+x[0-9]+x[0-9]+}} over 3

// COMMAND-LABEL: tessera: mirrored.0
// COMMAND:       // registers 4x2x2 over 2

//--- commands
mirrored:
  out.register_tiles(c, i, y, x, j, 4, 2)
//--- sums.c
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void convolution(int n, int m, int h, int w, float out[restrict n][h][w],
                                           const float in[restrict m][h + 2][w + 2], const float filter[restrict n][m][3][3])
{
  for (int c = 0; c < n; c++)
    for (int i = 0; i < h; i++)
      for (int j = 0; j < w; j++) {
        out[c][i][j] = 0;
        for (int k = 0; k < m; k++)
          for (int y = 0; y < 3; y++)
            for (int x = 0; x < 3; x++)
              out[c][i][j] += in[k][i + y][j + x] * filter[c][k][y][x];
      }
}

__attribute__((noinline)) void mirrored(int n, int m, int h, int w, double out[restrict n][h][w],
                                        const double in[restrict m][w + 4], const double filter[restrict n][h][m][5])
{
  for (int c = 0; c < n; c++)
    for (int i = 0; i < h; i++)
      for (int y = m - 1; y >= 0; y--)
        for (int x = 0; x < 5; x++)
          for (int j = 0; j < w; j++)
            out[c][i][j] += in[y][j + x] * filter[c][i][y][x];
}

__attribute__((noinline)) void in_a_variable(int n, int m, int h, int w, float out[restrict n][h][w],
                                             const float in[restrict m][h + 2][w + 2], const float filter[restrict n][m][3][3])
{
  for (int c = 0; c < n; c++)
    for (int i = 0; i < h; i++)
      for (int j = 0; j < w; j++) {
        float sum = 0;
        for (int k = 0; k < m; k++)
          for (int y = 0; y < 3; y++)
            for (int x = 0; x < 3; x++)
              sum += in[k][i + y][j + x] * filter[c][k][y][x];
        out[c][i][j] = sum;
      }
}

__attribute__((noinline)) void added_to(int n, int m, int h, int w, float out[restrict n][h][w],
                                        const float in[restrict m][h + 2][w + 2], const float filter[restrict n][m][3][3])
{
  for (int c = 0; c < n; c++)
    for (int i = 0; i < h; i++)
      for (int j = 0; j < w; j++) {
        float sum = out[c][i][j];
        for (int k = 0; k < m; k++)
          for (int y = 0; y < 3; y++)
            for (int x = 0; x < 3; x++)
              sum += in[k][i + y][j + x] * filter[c][k][y][x];
        out[c][i][j] = sum;
      }
}

static void *numbers(int n, int size)
{
  void *made = malloc(n * size);
  for (int k = 0; k < n; k++)
    if (size == sizeof(float))
      ((float *)made)[k] = (float)(k * 7 % 23) * 0.1f;
    else
      ((double *)made)[k] = (k * 5 % 19) * 0.3;
  return made;
}

int main(void)
{
  static const int size[][4] = {{1, 1, 1, 1}, {2, 3, 1, 5}, {3, 1, 7, 16}, {7, 5, 3, 33}, {12, 4, 5, 67}, {13, 9, 2, 130}, {6, 0, 2, 9}};
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++) {
    int n = size[s][0], m = size[s][1], h = size[s][2], w = size[s][3];
    float *in = numbers(m * (h + 2) * (w + 2), sizeof(float)), *filter = numbers(n * m * 9, sizeof(float));
    float *out = numbers(n * h * w, sizeof(float));
    double *rows = numbers(m * (w + 4), sizeof(double)), *taps = numbers(n * h * m * 5, sizeof(double));
    double *sums = numbers(n * h * w, sizeof(double)), hash = 0;
    convolution(n, m, h, w, (void *)out, (void *)in, (void *)filter);
    mirrored(n, m, h, w, (void *)sums, (void *)rows, (void *)taps);
    for (int k = 0; k < n * h * w; k++)
      hash = hash * 0.37 + out[k] + sums[k];
    added_to(n, m, h, w, (void *)out, (void *)in, (void *)filter);
    for (int k = 0; k < n * h * w; k++)
      hash = hash * 0.37 + out[k];
    in_a_variable(n, m, h, w, (void *)out, (void *)in, (void *)filter);
    for (int k = 0; k < n * h * w; k++)
      hash = hash * 0.37 + out[k];
    printf("%a\n", hash);
    free(in);
    free(filter);
    free(out);
    free(rows);
    free(taps);
    free(sums);
  }
}
