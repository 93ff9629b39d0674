// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers of overlapped tiles are in memory of an array that nobody reads any more, where that is large enough: whoever has
// allocated it, of whatever type it is.
//
// REQUIRES: gomp
// RUN: rm -rf %t && %split-file %s %t
// DEFINE: %{compile} = %clang -O2 -fno-discard-value-names -fpass-plugin=%plugin -mllvm
// RUN: %{compile} -tessera-commands=%t/commands -S -emit-llvm %t/all.c -o - | %FileCheck %s
// RUN: %clang -O1 %t/all.c -o %t/plain && %t/plain > %t/plain.txt
// RUN: %{compile} -tessera-commands=%t/commands %t/all.c -o %t/ours && %t/ours > %t/ours.txt && diff %t/plain.txt %t/ours.txt
// RUN: %{compile} -tessera-commands=%t/threads -mllvm -tessera-parallel %t/all.c -lgomp -o %t/threads.exe
// RUN: env OMP_NUM_THREADS=3 %t/threads.exe > %t/threads.txt && diff %t/plain.txt %t/threads.txt

// CHECK-LABEL: define {{.*}}@types
// CHECK:       tsr.own:
// CHECK:         call {{.*}}@__tessera_memory_take.1(
// CHECK-LABEL: define {{.*}}@stack
// CHECK:       tsr.own:
// CHECK:         call {{.*}}@__tessera_memory_take.1(
// CHECK-LABEL: define {{.*}}@given
// CHECK-NOT:   tsr.own
// CHECK:         call {{.*}}@__tessera_memory_take.1(
// CHECK-NOT:   tsr.own
// CHECK-LABEL: define {{.*}}@main

//--- commands
types:
  overlapped_tiles(8, 16)
stack:
  overlapped_tiles(8, 16)
given:
  overlapped_tiles(8, 16)
//--- threads
types:
  overlapped_tiles(8, 16)
  parallelize(outermost)
stack:
  overlapped_tiles(8, 16)
  parallelize(outermost)
given:
  overlapped_tiles(8, 16)
  parallelize(outermost)
//--- all.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each round has arrays of its own; a buffer of ints is in one of doubles, or the other way round. */
__attribute__((noinline)) void types(int rounds, int n, int m, float in[restrict n][m], float out[restrict n][m])
{
  for (int r = 0; r < rounds; r++) {
    double(*a)[m] = malloc(sizeof(double[n][m]));
    int(*b)[m] = calloc(n, sizeof(int[m]));
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        a[i][j] = in[i][j] * 0.5 + r;
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < m - 1; j++)
        b[i][j] = (int)(a[i][j] * 8 - a[i + 1][j + 1]);
    for (int i = 0; i < n - 2; i++)
      for (int j = 0; j < m - 2; j++)
        out[i][j] = (float)(b[i][j] + b[i + 1][j + 1] * 3);
    free(b);
    free(a);
  }
}

__attribute__((noinline)) void stack(int n, int m, float in[restrict n][m], float out[restrict n][m])
{
  float a[n + 1][m + 1];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = in[i][j] * 0.5f + 1;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      out[i][j] = a[i - 1][j - 1] + a[i][j] * 3 + a[i + 1][j + 1];
}

/* All of a is read behind. */
__attribute__((noinline)) void given(int n, int m, float in[restrict n][m], float a[restrict n][m], float out[restrict n][m])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = in[i][j] * 0.5f + 1;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      out[i][j] = a[i - 1][j - 1] + a[i][j] * 3 + a[i + 1][j + 1];
}

static void print(int n, int m, float x[n][m])
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      sum += x[i][j] * (1 + (i * 5 + j) % 7);
  printf("%d %d %.17g\n", n, m, sum);
}

int main(void)
{
  static const int size[][2] = {{0, 0}, {1, 1}, {2, 3}, {5, 7}, {64, 256}, {65, 257}, {67, 259}, {131, 300}, {300, 131}, {200, 530}};
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++) {
    int n = size[s][0], m = size[s][1];
    float(*in)[m] = malloc(sizeof(float[n + 1][m])), (*a)[m] = malloc(sizeof(float[n + 1][m])),
    (*out)[m] = malloc(sizeof(float[n + 1][m]));
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        in[i][j] = (float)((i * 7 + j * 3) % 11);
    memset(out, 0, sizeof(float[n][m]));
    types(3, n, m, in, out);
    print(n, m, out);
    stack(n, m, in, out);
    print(n, m, out);
    given(n, m, in, a, out);
    print(n, m, a);
    print(n, m, out);
    free(in);
    free(a);
    free(out);
  }
}
