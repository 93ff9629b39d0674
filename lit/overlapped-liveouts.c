// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithm 3 of Zhao and Di (MICRO 2020), several live-out stages that share a producer: where they use parts of their own each
// computes its own; where they use the same, which is cheap, both compute it in one tile, or in two (shared, of
// overlapped-recomputed.c); what takes long is computed once, in its own nest. What no tile needs isn't computed at all.
//
// RUN: rm -rf %t && %split-file %s %t
// RUN: %clang -O1 -ffp-contract=off %t/all.c -o %t/plain -lm && %t/plain > %t/expected
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-commands=%t/commands -mllvm -tessera-print=ast %t/all.c -o %t/tiled -lm 2>&1 | %FileCheck %s
// RUN: %t/tiled > %t/out && diff %t/expected %t/out
// RUN: %not %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-commands=%t/refused %t/all.c -c -o /dev/null 2>&1 | %FileCheck %s --check-prefix=REFUSED

// CHECK-LABEL: tessera: disjoint.0
// CHECK-NOT:   S{{[0-9]}}(
// CHECK:       // allocate A_1_buffer
// CHECK:         S0(16 * c0 + c1);
// CHECK:         S1(16 * c0 + c1);
// CHECK:       // allocate A_1_buffer
// CHECK:         S0(p_0 + 16 * c0 + c1);
// CHECK:         S2(16 * c0 + c1);
// CHECK-NOT:   S{{[0-9]}}(
// CHECK-LABEL: tessera: overlapping.0
// CHECK:       // allocate A_1_buffer
// CHECK:         S0(
// CHECK:         S1([[I:.*]]);
// CHECK-NEXT:    S2([[I]]);
// CHECK-NOT:   S{{[0-9]}}(
// CHECK-LABEL: tessera: dear.0
// CHECK-LABEL: tessera: dead.0
// CHECK-NOT:   S{{[0-9]}}(
// CHECK:       for (int c0 = 0; c0 <= floord(p_0 - 1, 16); c0 += 1) {
// CHECK-NEXT:    // allocate A_1_buffer
// CHECK:           S0(
// CHECK:           S1(
// CHECK-NOT:   S{{[0-9]}}(
// CHECK-LABEL: tessera: main
// REFUSED: refused:2:3: overlapped_tiles: no nest reads what others compute for it alone, in loops that can be tiled

//--- commands
disjoint:
  overlapped_tiles(1, 16)
overlapping:
  overlapped_tiles(8, 16)
dead:
  overlapped_tiles(1, 16)
//--- refused
dear:
  overlapped_tiles(8, 16)
//--- all.c
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
// Two live-out stages use halves of one: each computes its own half, the nest is gone.
__attribute__((noinline)) void disjoint(int m, int n, float x[restrict m], float y[restrict n], float in[restrict m + n])
{
  float *p = malloc(sizeof(float[m + n]));
  for (int i = 0; i < m + n; i++)
    p[i] = in[i] * in[i];
  for (int i = 0; i < m - 1; i++)
    x[i] = p[i] + p[i + 1];
  for (int i = 0; i < n - 1; i++)
    y[i] = p[m + i] - p[m + i + 1];
  free(p);
}
// All of it, which is cheap: both compute all.
__attribute__((noinline)) void overlapping(int n, float x[restrict n][n], float y[restrict n][n], float in[restrict n][n])
{
  float(*p)[n] = malloc(sizeof(float[n][n]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      p[i][j] = in[i][j] * in[i][j];
  for (int i = 0; i < n - 1; i++)
    for (int j = 0; j < n - 1; j++)
      x[i][j] = p[i][j] + p[i + 1][j + 1];
  for (int i = 0; i < n - 1; i++)
    for (int j = 0; j < n - 1; j++)
      y[j][i] = p[i][j] - p[i + 1][j + 1];
  free(p);
}
// Which takes long: it is computed once.
__attribute__((noinline)) void dear(int n, float x[restrict n][n], float y[restrict n][n], float in[restrict n][n])
{
  float(*p)[n] = malloc(sizeof(float[n][n]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      p[i][j] = sinf(in[i][j]) * cosf(in[i][j] + 1);
  for (int i = 0; i < n - 1; i++)
    for (int j = 0; j < n - 1; j++)
      x[i][j] = p[i][j] + p[i + 1][j + 1];
  for (int i = 0; i < n - 1; i++)
    for (int j = 0; j < n - 1; j++)
      y[j][i] = p[i][j] - p[i + 1][j + 1];
  free(p);
}
// What nobody uses isn't computed.
__attribute__((noinline)) void dead(int n, float x[restrict n], float in[restrict 2 * n])
{
  float *p = malloc(sizeof(float[2 * n]));
  for (int i = 0; i < 2 * n; i++)
    p[i] = in[i] * in[i];
  for (int i = 0; i < n; i++)
    x[i] = p[i] + p[i + 1];
  free(p);
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
  for (int n = 1; n < 80; n += n < 20 ? 1 : 13) {
    float *in = malloc(sizeof(float[2 * n * n])), *x = calloc(n * n, sizeof(float)), *y = calloc(n * n, sizeof(float));
    for (int k = 0; k < 2 * n * n; k++)
      in[k] = (float)(k * 7 % 23) * 0.5f;
    for (int m = 1; m < n; m += 3) {
      disjoint(m, n - m, x, y, in);
      printf("%x %x\n", hash(x, n), hash(y, n));
    }
    overlapping(n, (void *)x, (void *)y, (void *)in);
    printf("%x %x\n", hash(x, n * n), hash(y, n * n));
    dear(n, (void *)x, (void *)y, (void *)in);
    printf("%x %x\n", hash(x, n * n), hash(y, n * n));
    dead(n, x, in);
    printf("%x\n", hash(x, n));
    free(in);
    free(x);
    free(y);
  }
}
