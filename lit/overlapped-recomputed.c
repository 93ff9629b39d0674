// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages that several others read, and arrays that several stages write, in overlapped tiles: what is cheap is computed for each
// reader, and stored for none; what all planes share brings all planes into a tile; what several nests fill, or change in place,
// is in one buffer.
//
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=znver3 -mllvm -tessera-print=ast %s -o %t 2>&1 | %FileCheck %s
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel %s -o %t -lgomp && env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out

// CHECK-LABEL: tessera: shared.0
// CHECK-NOT:     S0(
// CHECK:         // allocate A_{{[0-9]+}}_buffer{{[0-9]*}}, A_{{[0-9]+}}_buffer
// CHECK:         S0(
// CHECK:         S1(
// CHECK:         S2(
// CHECK:         // allocate A_{{[0-9]+}}_buffer
// CHECK:           S0([[I:.*]]);
// CHECK-NEXT:      S13([[I]]);
// CHECK-NOT:     S0(
// CHECK-LABEL: tessera: planes.0
// CHECK:       // allocate A_{{[0-9]+}}_buffer
// CHECK:         for (int [[C:c[0-9]]] = 0; [[C]] <= 2; [[C]] += 1)
// CHECK:           S0([[C]],
// CHECK:         S1(
// CHECK:         for (int [[C:c[0-9]]] = 0; [[C]] <= 3; [[C]] += 1)
// CHECK:           S2([[C]],
// CHECK-NOT:   S0(
// CHECK-LABEL: tessera: in_place.0
// CHECK:       // allocate A_{{[0-9]+}}_buffer
// CHECK-NOT:   // allocate
// CHECK:         S0([[I:.*]]);
// CHECK-NEXT:    S1([[I]]);
// CHECK:         S2(
// CHECK-LABEL: tessera: last.0
// CHECK:       // allocate A_{{[0-9]+}}_buffer
// CHECK:         // allocate A_{{[0-9]+}}_register
// CHECK-NEXT:    {
// CHECK-NEXT:      S1([[I:.*]]);
// CHECK-NEXT:      S2([[I]]);
// CHECK-NOT:   S1(
// CHECK-LABEL: tessera: main.0

#include <stdio.h>
#include <stdlib.h>

#define EACH(rows, columns)                                                                                                 \
  for (int i = 0; i < rows; i++)                                                                                            \
    for (int j = 0; j < columns; j++)
#define LESS(a, b) ((a) < (b) ? (a) : (b))

// What both nests of tiles read is computed in each of them, and never stored.
void shared(int h, int w, float out[restrict h][w], float in[restrict h][w])
{
  int h1 = (h + 1) / 2, w1 = (w + 1) / 2;
  float(*d)[w] = malloc(sizeof(float[h][w])), (*t)[w1] = malloc(sizeof(float[h][w1])), (*c)[w1] = malloc(sizeof(float[h1][w1]));
  float sum = 0;
  EACH(h, w) d[i][j] = in[i][j] * 3 + 1;
  EACH(h, w1) t[i][j] = d[i][2 * j] + d[i][LESS(2 * j + 1, w - 1)];
  EACH(h1, w1) c[i][j] = t[2 * i][j] + t[LESS(2 * i + 1, h - 1)][j];
  EACH(h1, w1) sum += c[i][j];
  EACH(h, w) out[i][j] = d[i][j] * sum - c[i / 2][j / 2];
  free(d);
  free(t);
  free(c);
}

// Each plane of the result needs all of those before: tiles have all of them.
void planes(int h, int w, float out[restrict 4][h][w], float in[restrict 4][h][w])
{
  float(*d)[h][w] = malloc(sizeof(float[4][h][w]));
  for (int c = 0; c < 3; c++)
    EACH(h, w) d[c][i][j] = in[c][i][j] * in[3][i][j];
  EACH(h, w) d[3][i][j] = in[3][i][j] + 1;
  for (int c = 0; c < 4; c++)
    EACH(h, w - 1) out[c][i][j] = (d[c][i][j] + d[c][i][j + 1]) / d[3][i][j];
  free(d);
}

// What is changed in place stays in its buffer.
void in_place(int h, int w, float out[restrict h][w], float a[restrict h][w], float b[restrict h][w])
{
  float(*o)[w] = malloc(sizeof(float[h][w]));
  EACH(h, w) o[i][j] = a[i][j] * 3;
  EACH(h, w) o[i][j] += b[i / 2][j / 2];
  EACH(h, w - 1) out[i][j] = o[i][j] - o[i][j + 1];
  free(o);
}

// So it does where the last one to change it is the tiled one.
void last(int h, int w, float o[restrict h][w], float a[restrict h][w], float b[restrict h][w])
{
  float(*u)[w] = malloc(sizeof(float[h][w]));
  EACH(h, w) u[i][j] = b[i / 2][j / 2] + 1;
  EACH(h, w - 1) o[i][j] = a[i][j] * 3;
  EACH(h, w - 1) o[i][j] += u[i][j] * u[i][j + 1];
  free(u);
}

static unsigned hash(const float *x, int n)
{
  unsigned sum = 0;
  for (int k = 0; k < n; k++)
    sum = sum * 31 + (unsigned)(int)(x[k] * 64);
  return sum;
}

int main(void)
{
  static const int size[][2] = {{1, 2}, {2, 3}, {7, 9}, {8, 16}, {9, 17}, {16, 15}, {33, 70}, {64, 257}, {40, 300}};
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++) {
    int h = size[s][0], w = size[s][1], n = 4 * h * w;
    float *x = malloc(sizeof(float[n])), *y = malloc(sizeof(float[n])), *z = malloc(sizeof(float[n]));
    for (int k = 0; k < n; k++) {
      x[k] = (float)(k * 7 % 23);
      y[k] = (float)(k * 5 % 17);
      z[k] = 1;
    }
    shared(h, w, (void *)y, (void *)x);
    printf("%x\n", hash(y, n));
    planes(h, w, (void *)y, (void *)x);
    printf("%x\n", hash(y, n));
    in_place(h, w, (void *)z, (void *)x, (void *)y);
    printf("%x\n", hash(z, n));
    last(h, w, (void *)z, (void *)x, (void *)y);
    printf("%x\n", hash(z, n));
    free(x);
    free(y);
    free(z);
  }
}
