// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compute_at: a producer is computed for each tile of its consumer, in a buffer; tiles overlap, and each element that the program
// sees is stored once, by the first tile that computes it. The blur of two stages of zhao-di-micro20 and jangda-toplas20; three
// stages one in the other; a stage that reads borders that nobody computes; threads. What can't be is refused with the reason.
// RUN: rm -rf %t && %split-file %s %t
// RUN: %clang -O2 %t/all.c -DMAIN -o %t/plain
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/commands -mllvm -tessera-print=ast -DMAIN \
// RUN:   -Rpass=tessera %t/all.c -o %t/fused 2>&1 | %FileCheck %s
// CHECK-LABEL: tessera: blur.0
// CHECK:      // allocate bx_1_buffer
// CHECK-NEXT: {
// CHECK-NEXT:   for (int c2 = 8 * c0; c2 <= min(n - 1, 8 * c0 + 9); c2 += 1) {
// CHECK:          S0(c2, c3);
// CHECK:          store_bx_1(c0, c1, c2, c3);
// CHECK:          S1(8 * c0 + c2, 16 * c1 + c3);
// CHECK-LABEL: tessera: three.0
// CHECK:      // allocate a_{{[0-9]}}_buffer
// CHECK:      // allocate b_{{[0-9]}}_buffer
// CHECK-LABEL: tessera: border.0
// CHECK:          load_b_{{[0-9]}}(
// CHECK:          S0(
// CHECK:          store_b_{{[0-9]}}(
// RUN: %t/plain > %t/plain.txt
// RUN: %t/fused > %t/fused.txt
// RUN: diff %t/plain.txt %t/fused.txt
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/threads -mllvm -tessera-parallel -DMAIN %t/all.c -lgomp \
// RUN:   -o %t/threads.exe
// RUN: env OMP_NUM_THREADS=3 %t/threads.exe > %t/threads.txt
// RUN: diff %t/plain.txt %t/threads.txt
// RUN: %not %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/itself -c %t/all.c -o /dev/null 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=ITSELF
// ITSELF: itself:2:3: a.compute_at: S0 reads a_{{[0-9]}}: it can't be computed again
// RUN: %not %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/late -c %t/all.c -o /dev/null 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=LATE
// LATE: late:2:3: b.compute_at: not legal: array in_{{[0-9]}}: {{.*}} must run before

//--- commands
blur:
  by.tile(y, x, 8, 16, y0, x0, y1, x1)
  bx.compute_at(by, x0)
three:
  S2.split(i, 8, i0, i1)
  b.compute_at(S2, i0)
  a.compute_at(S2, i0)
border:
  S1.split(i, 8, i0, i1)
  b.compute_at(S1, i0)
//--- threads
blur:
  by.tile(y, x, 8, 16, y0, x0, y1, x1)
  bx.compute_at(by, x0)
  by.parallelize(y0)
border:
  S1.split(i, 8, i0, i1)
  b.compute_at(S1, i0)
//--- itself
itself:
  a.compute_at(c, i)
//--- late
late:
  b.compute_at(c, i)
//--- all.c
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) void blur(int n, int m, float in[restrict n][m], float bx[restrict n][m], float by[restrict n][m]) {
  for (int y = 0; y < n; y++)
    for (int x = 1; x < m - 1; x++)
      bx[y][x] = (in[y][x - 1] + in[y][x] + in[y][x + 1]) * 0.333f;
  for (int y = 1; y < n - 1; y++)
    for (int x = 1; x < m - 1; x++)
      by[y][x] = (bx[y - 1][x] + bx[y][x] + bx[y + 1][x]) * 0.333f;
}

__attribute__((noinline)) void three(int n, double *restrict in, double *restrict a, double *restrict b, double *restrict c) {
  for (int i = 0; i < n + 4; i++)
    a[i] = in[i] * 3 + in[i + 1];
  for (int i = 0; i < n + 2; i++)
    b[i] = a[i] - a[i + 1] * a[i + 2];
  for (int i = 0; i < n; i++)
    c[i] = b[i] + b[i + 1] * b[i + 2];
}

__attribute__((noinline)) void border(int n, int *restrict in, int *restrict b, int *restrict c) {
  for (int i = 1; i < n - 1; i++)
    b[i] = in[i] ^ 5;
  for (int i = 0; i < n - 1; i++)
    c[i] = b[i] * 3 + b[i + 1];
}

void itself(int n, float *restrict in, float *restrict a, float *restrict c) {
  for (int i = 1; i < n; i++)
    a[i] = a[i - 1] + in[i];
  for (int i = 1; i < n; i++)
    c[i] = a[i] * 2;
}

void late(int n, float *restrict in, float *restrict b, float *restrict c) {
  for (int i = 0; i < n; i++)
    b[i] = in[i] * 3;
  for (int i = 0; i < n; i++)
    in[i] = 0;
  for (int i = 0; i < n; i++)
    c[i] = b[i] * 2;
}
#ifdef MAIN
static unsigned hash(unsigned h, const void *data, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    h = h * 31 + ((const unsigned char *)data)[i];
  return h;
}

int main(void) {
  static const int sizes[][2] = {{0, 3}, {1, 1}, {2, 2}, {3, 3}, {5, 4}, {7, 18}, {8, 17}, {9, 16}, {10, 18}, {11, 19}, {31, 37}, {40, 50}};
  for (int s = 0; s < 12; s++) {
    int n = sizes[s][0], m = sizes[s][1], size = (n + 9) * (m + 9);
    float *in = calloc(size, sizeof(*in)), *bx = calloc(size, sizeof(*bx)), *by = calloc(size, sizeof(*by));
    double *d = calloc(4 * size, sizeof(*d));
    int *k = calloc(3 * size, sizeof(*k));
    for (int i = 0; i < size; i++)
      in[i] = i * 7 % 13 / 3.0f, d[i] = i % 11 / 7.0, k[i] = i * 5, k[size + i] = -i;
    blur(n, m, (void *)in, (void *)bx, (void *)by);
    three(n, d, d + size, d + 2 * size, d + 3 * size);
    border(n, k, k + size, k + 2 * size);
    printf("%d %d %u %u %u\n", n, m, hash(hash(1, bx, size * sizeof(*bx)), by, size * sizeof(*by)),
           hash(1, d, 4 * size * sizeof(*d)), hash(1, k, 3 * size * sizeof(*k)));
  }
}
#endif
