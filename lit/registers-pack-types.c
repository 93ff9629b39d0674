// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed operands of numbers that are converted, once, where they are packed: with the order of memory, against it, and in
// rows that are shorter than a tile's. Edges read them, too. The results are those without Tessera, at odd sizes, in the
// vectors of each level, and with threads.
//
// RUN: %clang -O1 -ffp-contract=off -fno-vectorize %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -ffp-contract=off -march=x86-64 -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t.sse -Rpass=tessera 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %t.sse > %t.out && diff %t.expected %t.out
// RUN: %clang -O2 -ffp-contract=off -march=native -fpass-plugin=%plugin %s -o %t.native
// RUN: %t.native > %t.out && diff %t.expected %t.out
// RUN: %clang -O2 -ffp-contract=off -march=native -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel %s \
// RUN:   -lgomp -o %t.threads
// RUN: env OMP_NUM_THREADS=3 %t.threads > %t.out && diff %t.expected %t.out
// CHECK-COUNT-12: with {{.*}} packed operand

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PRODUCTS(NAME, TC, TA, TB)                                                                                             \
  __attribute__((noinline)) static void NAME(int n, int m, int l, TC *restrict c, TA *restrict a, TB *restrict b)             \
  {                                                                                                                            \
    for (int i = 0; i < n; i++)                                                                                                \
      for (int k = 0; k < l; k++)                                                                                              \
        for (int j = 0; j < m; j++)                                                                                            \
          c[i * m + j] += (TC)a[i * l + k] * (TC)b[k * m + j];                                                                 \
  }                                                                                                                            \
  __attribute__((noinline)) static void NAME##_turned(int n, int m, int l, TC *restrict c, TA *restrict a, TB *restrict b)    \
  {                                                                                                                            \
    for (int i = 0; i < n; i++)                                                                                                \
      for (int j = 0; j < m; j++)                                                                                              \
        for (int k = 0; k < l; k++)                                                                                            \
          c[i * m + j] += (TC)a[k * n + i] * (TC)b[j * l + k];                                                                 \
  }                                                                                                                            \
  static void run_##NAME(int n, int m, int l)                                                                                  \
  {                                                                                                                            \
    TC *c = calloc((size_t)n * m + 1, sizeof(*c));                                                                             \
    TA *a = malloc(((size_t)n * l + 1) * sizeof(*a));                                                                          \
    TB *b = malloc(((size_t)l * m + 1) * sizeof(*b));                                                                          \
    for (int i = 0; i < n * l; i++)                                                                                            \
      a[i] = (TA)(i * 37 % 101);                                                                                               \
    for (int i = 0; i < l * m; i++)                                                                                            \
      b[i] = (TB)(i * 53 % 97);                                                                                                \
    NAME(n, m, l, c, a, b);                                                                                                    \
    NAME##_turned(n, m, l, c, a, b);                                                                                           \
    double sum = 0;                                                                                                            \
    for (int i = 0; i < n * m; i++)                                                                                            \
      sum = sum * 0.999 + (double)c[i];                                                                                        \
    printf("%s %d %d %d %.17g\n", #NAME, n, m, l, sum);                                                                        \
    free(a);                                                                                                                   \
    free(b);                                                                                                                   \
    free(c);                                                                                                                   \
  }
PRODUCTS(one_is_float, double, float, double)
PRODUCTS(both_are_float, double, float, float)
PRODUCTS(bytes, int, uint8_t, int8_t)
PRODUCTS(longs, int64_t, int32_t, int16_t)
PRODUCTS(byte_to_float, float, uint8_t, float)
PRODUCTS(shorts, int16_t, int16_t, int16_t)

int main(void)
{
  static const int size[][3] = {{0, 5, 5},      {1, 1, 1},      {3, 3, 3},    {12, 13, 11},  {33, 65, 37},
                                {97, 101, 300}, {129, 31, 257}, {64, 64, 64}, {131, 35, 513}};
  for (unsigned i = 0; i < sizeof(size) / sizeof(*size); i++) {
    int n = size[i][0], m = size[i][1], l = size[i][2];
    run_one_is_float(n, m, l);
    run_both_are_float(n, m, l);
    run_bytes(n, m, l);
    run_longs(n, m, l);
    run_byte_to_float(n, m, l);
    run_shorts(n, m, l);
  }
  return 0;
}
