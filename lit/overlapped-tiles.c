// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fusion after tiling: stages that read neighbourhoods of each other run tile by tile, in buffers; arrays of the function's own
// that nobody reads behind it aren't written at all. By default where that pays, at sizes at which it does; as a command in any
// case. Results are the same at all sizes, and with threads. What can't be is refused with the reason.
// RUN: rm -rf %t && %split-file %s %t
// RUN: %clang -O2 %t/all.c -o %t/plain
// RUN: %t/plain > %t/plain.txt
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-machine=znver3 -mllvm -tessera-print=ast -Rpass=tessera %t/all.c -o %t/chosen 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=CHOSEN
// CHOSEN-LABEL: tessera: own.0
// CHOSEN:      for (int c0 = 0; c0 <= floord(
// CHOSEN-NEXT:   for (int c1 = 0; c1 <= floord(
// CHOSEN-NEXT:     // allocate a_{{.*}}buffer, {{.*}}b_{{.*}}buffer
// CHOSEN-NEXT:     {
// CHOSEN-NEXT:       for (int c2 = 0; c2 <= min(
// CHOSEN-NEXT:         // vector
// CHOSEN-NEXT:         for (int c3 = 0; c3 <= min(514,
// CHOSEN-NEXT:           S0(
// CHOSEN-NOT:  store_
// CHOSEN:      remark: loop nest transformed{{.*}}runs where
// RUN: %t/chosen > %t/chosen.txt && diff %t/plain.txt %t/chosen.txt
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/commands -mllvm -tessera-print=ast %t/all.c \
// RUN:   -o %t/commanded 2>&1 | %FileCheck %s --check-prefix=COMMANDED
// COMMANDED-LABEL: tessera: given.0
// COMMANDED:      // allocate a_{{[0-9]}}_buffer, b_{{[0-9]}}_buffer
// COMMANDED:      load_b_{{[0-9]}}(
// COMMANDED:      store_b_{{[0-9]}}(
// COMMANDED-LABEL: tessera: filters.0
// COMMANDED:      // allocate a_{{[0-9]}}_buffer
// COMMANDED:        S0({{.*}});
// COMMANDED-NEXT:   for (
// COMMANDED-NEXT:     S1(
// COMMANDED-LABEL: tessera: wide.0
// COMMANDED:      // allocate a_{{[0-9]}}_buffer
// COMMANDED-LABEL: tessera: direct.0
// COMMANDED-NOT:  b_{{.*}}buffer
// COMMANDED-LABEL: tessera: rest.0
// COMMANDED:      // allocate {{.*}}buffer, {{.*}}buffer
// COMMANDED-LABEL: tessera: edges.0
// COMMANDED:      // allocate a_{{[0-9]}}_buffer
// COMMANDED-LABEL: tessera: fixed.0
// COMMANDED:      for (int c0 = 0; c0 <= 5; c0 += 1)
// COMMANDED-NEXT:   // allocate
// COMMANDED-NOT:    // allocate
// RUN: %t/commanded > %t/commanded.txt && diff %t/plain.txt %t/commanded.txt
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-commands=%t/threads -mllvm -tessera-parallel %t/all.c -lgomp -o %t/threads.exe
// RUN: env OMP_NUM_THREADS=3 %t/threads.exe > %t/threads.txt && diff %t/plain.txt %t/threads.txt
// RUN: %not %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-commands=%t/refused -c %t/all.c -o /dev/null 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=REFUSED
// REFUSED: refused:2:3: overlapped_tiles: no nest reads what others compute for it alone, in loops that can be tiled

//--- commands
wide:
  overlapped_tiles(8, 16)
direct:
  overlapped_tiles(8, 16)
rest:
  overlapped_tiles(8, 16)
edges:
  overlapped_tiles(8, 16)
fixed:
  overlapped_tiles(8, 64)
own:
  overlapped_tiles(8, 16)
given:
  overlapped_tiles(8, 16)
filters:
  overlapped_tiles(4, 32)
//--- threads
wide:
  overlapped_tiles(8, 16)
  parallelize(outermost)
direct:
  overlapped_tiles(8, 16)
  parallelize(outermost)
rest:
  overlapped_tiles(8, 16)
  parallelize(outermost)
edges:
  overlapped_tiles(8, 16)
  parallelize(outermost)
fixed:
  overlapped_tiles(8, 64)
  parallelize(outermost)
own:
  overlapped_tiles(8, 16)
  parallelize(outermost)
given:
  overlapped_tiles(8, 16)
  parallelize(outermost)
//--- refused
again:
  overlapped_tiles()
//--- all.c
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) void own(int n, int m, float in[restrict n][m], float out[restrict n][m])
{
  float(*a)[m] = malloc(sizeof(float[n][m])), (*b)[m] = malloc(sizeof(float[n][m]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = in[i][j] * 0.5f + 1;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      b[i][j] = a[i - 1][j - 1] + a[i][j] * 3 + a[i + 1][j + 1];
  for (int i = 2; i < n - 2; i++)
    for (int j = 2; j < m - 2; j++)
      out[i][j] = b[i][j - 1] * a[i][j] - b[i + 1][j];
  free(a);
  free(b);
}

__attribute__((noinline)) void given(int n, int m, float in[restrict n][m], float a[restrict n][m], float b[restrict n][m],
                                     float out[restrict n][m])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = in[i][j] * 0.5f + 1;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      b[i][j] = a[i - 1][j - 1] + a[i][j] * 3 + a[i + 1][j + 1];
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      out[i][j] = b[i][j - 1] * a[i][j] - b[i + 1][j];
}

__attribute__((noinline)) void filters(int n, int m, float in[restrict n][m], float k[restrict 5], float out[restrict n][m])
{
  float(*a)[m] = malloc(sizeof(float[n][m]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m - 4; j++) {
      a[i][j] = 0;
      for (int r = 0; r < 5; r++)
        a[i][j] += in[i][j + r] * k[r];
    }
  for (int i = 0; i < n - 4; i++)
    for (int j = 0; j < m - 4; j++) {
      out[i][j] = 0;
      for (int r = 0; r < 5; r++)
        out[i][j] += a[i + r][j] * k[r];
    }
  free(a);
}

/* Each row needs the one before. */
__attribute__((noinline)) void again(int n, int m, float in[restrict n][m], float out[restrict n][m])
{
  float(*a)[m] = malloc(sizeof(float[n][m]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = in[i][j] * 0.5f;
  for (int i = 1; i < n; i++)
    for (int j = 1; j < m; j++)
      out[i][j] = a[i][j - 1] + out[i - 1][j - 1] + out[i][j - 1];
  free(a);
}

/* More reads of one buffer than a statement mostly has. */
__attribute__((noinline)) void wide(int n, int m, float in[restrict n][m], float out[restrict n][m])
{
  float(*a)[m] = malloc(sizeof(float[n][m]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = in[i][j] * 0.5f + 1;
  for (int i = 1; i < n - 2; i++)
    for (int j = 2; j < m - 2; j++)
      out[i][j] = a[i - 1][j - 2] + 2 * a[i - 1][j - 1] + 3 * a[i - 1][j] + 4 * a[i - 1][j + 1] + 5 * a[i - 1][j + 2] +
                  6 * a[i][j - 2] + 7 * a[i][j - 1] + 8 * a[i][j] + 9 * a[i][j + 1] + 10 * a[i][j + 2] +
                  11 * a[i + 1][j - 2] + 12 * a[i + 1][j - 1] + 13 * a[i + 1][j] + 14 * a[i + 1][j + 1] +
                  15 * a[i + 1][j + 2] + 16 * a[i + 2][j];
  free(a);
}

/* Tiles write b, the caller's, themselves: each of its elements is needed in one of them. */
__attribute__((noinline)) void direct(int n, int m, float in[restrict n][m], float b[restrict n][m], float out[restrict n][m])
{
  float(*a)[m] = malloc(sizeof(float[n][m]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = in[i][j] * 0.5f + 1;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      b[i][j] = a[i - 1][j] + 2 * a[i + 1][j + 1];
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      out[i][j] = b[i][j] * b[i][j];
  free(a);
}

/* b is the caller's, a is not: of both, what no tile of out needs b needs, all of it. */
__attribute__((noinline)) void rest(int n, int m, float in[restrict n][m], float b[restrict n][m], float out[restrict n][m])
{
  float(*a)[m] = malloc(sizeof(float[n][m]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = in[i][j] * 0.5f + 1;
  for (int i = 0; i < n - 1; i++)
    for (int j = 0; j < m - 1; j++)
      b[i][j] = a[i][j] + 2 * a[i + 1][j + 1];
  for (int i = 0; i < n / 2; i++)
    for (int j = 0; j < m / 3; j++)
      out[i][j] = b[i][j] - a[i][j];
  free(a);
}

/* Two statements make a. */
__attribute__((noinline)) void edges(int n, int m, float in[restrict n][m], float out[restrict n][m])
{
  float(*a)[m] = malloc(sizeof(float[n][m]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (i >= 1 && j >= 2)
        a[i][j] = in[i][j] + 2 * in[i - 1][j - 2];
      else
        a[i][j] = 3 * in[i][j];
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      out[i][j] = a[i - 1][j - 1] + a[i][j] * 3 + a[i + 1][j + 1];
  free(a);
}

/* Rows within a tile. */
__attribute__((noinline)) void fixed(float in[restrict 50][20], float out[restrict 50][20])
{
  float a[50][20];
  for (int i = 0; i < 50; i++)
    for (int j = 0; j < 20; j++)
      a[i][j] = in[i][j] * 0.5f + 1;
  for (int i = 1; i < 49; i++)
    for (int j = 1; j < 19; j++)
      out[i][j] = a[i - 1][j - 1] + a[i][j] * 3 + a[i + 1][j + 1];
}

static void print(int n, int m, float x[n][m])
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      sum = sum * 0.99 + x[i][j];
  printf("%.17g\n", sum);
}

int main(void)
{
  static const int size[][2] = {{1, 1},   {2, 3},    {3, 3},    {4, 5},    {5, 4},     {8, 16},    {9, 17},   {11, 20},
                                {13, 31}, {20, 260}, {37, 261}, {17, 513}, {300, 300}, {700, 401}, {64, 1000}};
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++) {
    int n = size[s][0], m = size[s][1];
    float(*x[4])[m], k[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
    for (int a = 0; a < 4; a++) {
      x[a] = malloc(sizeof(float[n][m]));
      for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
          x[a][i][j] = (float)((i * 7 + j * 13 + a * 5) % 31) / 8;
    }
    own(n, m, x[0], x[3]);
    print(n, m, x[3]);
    given(n, m, x[0], x[1], x[2], x[3]);
    for (int a = 1; a < 4; a++)
      print(n, m, x[a]);
    filters(n, m, x[0], k, x[3]);
    print(n, m, x[3]);
    again(n, m, x[0], x[3]);
    print(n, m, x[3]);
    wide(n, m, x[0], x[3]);
    print(n, m, x[3]);
    direct(n, m, x[0], x[1], x[3]);
    print(n, m, x[1]);
    print(n, m, x[3]);
    rest(n, m, x[0], x[1], x[3]);
    print(n, m, x[1]);
    print(n, m, x[3]);
    edges(n, m, x[0], x[3]);
    print(n, m, x[3]);
    if (n >= 50 && m == 20 * (m / 20)) {
      fixed((void *)x[0], (void *)x[3]);
      print(n, m, x[3]);
    }
    for (int a = 0; a < 4; a++)
      free(x[a]);
  }
}
