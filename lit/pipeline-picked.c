// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planes that data picks: of l[k][i][j] it is known to be at i and j, whatever k is; where its bounds are known a tile has all
// planes that it may be, in buffers. What has no bounds is a read of everything still, and so is k in another place than in front.
//
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=znver3 -mllvm -tessera-dump=%t.d -mllvm -tessera-print=ast %s -o %t 2>&1 | %FileCheck %s
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: cat %t.d/clamped.0.scop | %FileCheck %s --check-prefix=CLAMPED
// RUN: cat %t.d/masked.0.scop | %FileCheck %s --check-prefix=MASKED
// RUN: cat %t.d/anywhere.0.scop | %FileCheck %s --check-prefix=ANYWHERE
// RUN: cat %t.d/inside.0.scop | %FileCheck %s --check-prefix=INSIDE
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel %s -o %t -lgomp && env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out

// CHECK-LABEL: tessera: clamped.0
// CHECK:       // allocate {{.*}}buffer
// CHECK:         for (int c3 = 0; c3 <= 7; c3 += 1)
// CHECK:           S0(
// CHECK:         S1(
// CHECK-NOT:   S0(
// CHECK-LABEL: tessera: masked.0
// CLAMPED:     read: "{ S1[i{{.*}}, [[I:i.*]], [[J:i.*]]] -> A_{{[0-9]}}[o0, [[I]], [[J]]] : 0 <= o0 <= 6 }"
// CLAMPED:     read: "{ S1[i{{.*}}, [[I:i.*]], [[J:i.*]]] -> A_{{[0-9]}}[o0, [[I]], [[J]]] : 0 < o0 <= 7 }"
// MASKED:      read: "{ S1[{{.*}}] -> A_{{[0-9]}}[o0, 1 + {{i.*}}, {{i.*}}] : 2 <= o0 <= 5 }"
// ANYWHERE:    read: "[{{.*}}] -> { S1[{{.*}}] -> A_{{[0-9]}}[o0, o1, o2] : 0 <= o1 < p_{{[0-9]}} and 0 <= o2 < p_{{[0-9]}} }"
// INSIDE:      read: "[{{.*}}] -> { S1[{{.*}}] -> A_{{[0-9]}}[o0, o1, o2] : 0 <= o1 < p_{{[0-9]}} and 0 <= o2 < p_{{[0-9]}} }"

#include <stdio.h>
#include <stdlib.h>

#define EACH(planes, rows, columns)                                                                                         \
  for (int c = 0; c < planes; c++)                                                                                          \
    for (int i = 0; i < rows; i++)                                                                                          \
      for (int j = 0; j < columns; j++)

void clamped(int h, int w, float out[restrict 1][h][w], float in[restrict h][w])
{
  float(*l)[h][w] = malloc(sizeof(float[8][h][w]));
  EACH(8, h, w) l[c][i][j] = in[i][j] * c + 1;
  EACH(1, h, w)
  {
    float level = in[i][j] * 0.25f;
    int k = (int)level < 0 ? 0 : (int)level > 6 ? 6 : (int)level;
    out[0][i][j] = (1 - (level - k)) * l[k][i][j] + (level - k) * l[k + 1][i][j];
  }
  free(l);
}

void masked(int h, int w, int out[restrict 1][h][w], int in[restrict h][w])
{
  int(*l)[h][w] = malloc(sizeof(int[8][h][w]));
  EACH(8, h, w) l[c][i][j] = in[i][j] * c + 1;
  EACH(1, h - 1, w) out[0][i][j] = l[(in[i][j] & 3) + 2][i + 1][j];
  free(l);
}

void anywhere(int h, int w, int out[restrict 1][h][w], int in[restrict h][w])
{
  int(*l)[h][w] = malloc(sizeof(int[8][h][w]));
  EACH(8, h, w) l[c][i][j] = in[i][j] * c + 1;
  EACH(1, h, w) out[0][i][j] = l[in[i][j]][i][j];
  free(l);
}

void inside(int h, int w, int out[restrict 1][h][w], int in[restrict h][w])
{
  int(*l)[h][w] = malloc(sizeof(int[8][h][w]));
  EACH(8, h, w) l[c][i][j] = in[i][j] * c + 1;
  EACH(1, h, w) out[0][i][j] = l[1][in[i][j] & 1][j];
  free(l);
}

// What picks is overwritten before the plane is read.
void between(int h, int w, int out[restrict 1][h][w], int pick[restrict h][w], int in[restrict h][w])
{
  int(*l)[h][w] = malloc(sizeof(int[8][h][w]));
  EACH(8, h, w) l[c][i][j] = in[i][j] * c + 1;
  EACH(1, h, w)
  {
    int k = pick[i][j] & 3;
    pick[i][j] = k * 5 + 1;
    out[0][i][j] = l[k + 1][i][j] - k;
  }
  free(l);
}

static unsigned hash(const int *x, int n)
{
  unsigned sum = 0;
  for (int k = 0; k < n; k++)
    sum = sum * 31 + (unsigned)x[k];
  return sum;
}

int main(void)
{
  static const int size[][2] = {{1, 2}, {2, 3}, {7, 9}, {8, 16}, {9, 17}, {16, 15}, {33, 70}, {64, 257}, {40, 300}};
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++) {
    int h = size[s][0], w = size[s][1], n = h * w;
    float *x = malloc(sizeof(float[n])), *y = malloc(sizeof(float[n]));
    int *a = malloc(sizeof(int[n])), *b = calloc(n, sizeof(int));
    for (int k = 0; k < n; k++) {
      x[k] = (float)(k * 7 % 41) - 4;
      a[k] = k * 5 % 8;
    }
    clamped(h, w, (void *)y, (void *)x);
    for (int k = 0; k < n; k++)
      b[k] = (int)(y[k] * 64);
    printf("%x\n", hash(b, n));
    masked(h, w, (void *)b, (void *)a);
    printf("%x\n", hash(b, n));
    anywhere(h, w, (void *)b, (void *)a);
    printf("%x\n", hash(b, n));
    int *pick = malloc(sizeof(int[n]));
    for (int k = 0; k < n; k++)
      pick[k] = k * 3 % 7;
    between(h, w, (void *)b, (void *)pick, (void *)a);
    printf("%x %x\n", hash(b, n), hash(pick, n));
    free(pick);
    if (h > 1)
      inside(h, w, (void *)b, (void *)a);
    printf("%x\n", hash(b, n));
    free(x);
    free(y);
    free(a);
    free(b);
  }
}
