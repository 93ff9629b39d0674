// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is beside register tiles of real and imaginary parts stores every other number. These are short vectors under a mask as
// well: no scatters, and no numbers one by one. Sizes around tiles and vectors, and rows that lie apart.
//
// RUN: %clang -O3 -march=x86-64-v4 -ffp-contract=off -fpass-plugin=%plugin -Rpass=tessera -mllvm -tessera-only=^form_ \
// RUN:   -mllvm -tessera-machine=znver5 -S -emit-llvm %s -o %t.ll 2>&1 | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=IR --input-file=%t.ll
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=znver5 %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  float re, im;
} pair;

#define FORM __attribute__((noinline)) static void

/* c := b * a + c, a an upper triangular matrix: first all real parts, then the others */
// CHECK: holes.c:[[@LINE+6]]:3: remark: loop nest transformed: {{.*}} register tiles of
// IR-LABEL: define {{.*}}@form_right.tsr.large(
// IR-NOT: masked.scatter
// IR: {{^}}}
FORM form_right(int m, int n, const pair *restrict a, const pair *restrict b, pair *restrict c, int ld)
{
  for (int j = 0; j < n; j++)
    for (int k = 0; k < j; k++)
      for (int i = 0; i < m; i++) {
        pair f = a[k + (long)j * ld], x = b[i + (long)k * ld];
        c[i + (long)j * ld].re += f.re * x.re - f.im * x.im;
      }
  for (int j = 0; j < n; j++)
    for (int k = 0; k < j; k++)
      for (int i = 0; i < m; i++) {
        pair f = a[k + (long)j * ld], x = b[i + (long)k * ld];
        c[i + (long)j * ld].im += f.re * x.im + f.im * x.re;
      }
}

/* b := b * a^-1, a an upper triangular matrix with ones on its diagonal. Vectors alone pay from small sizes on; tiles, beside
 * which more is left, where they are faster than these. */
// CHECK: holes.c:[[@LINE+3]]:3: remark: loop nest transformed: {{.*}} register tiles of {{.*}} with tiles or lanes where
FORM form_solve(int m, int n, const pair *restrict a, pair *restrict b, int ld)
{
  for (int j = 0; j < n; j++)
    for (int k = 0; k < j; k++) {
      pair f = a[k + (long)j * ld];
      for (int i = 0; i < m; i++) {
        pair x = b[i + (long)k * ld], *y = &b[i + (long)j * ld];
        y->re -= f.re * x.re - f.im * x.im;
        y->im -= f.re * x.im + f.im * x.re;
      }
    }
}

static unsigned next(unsigned *state)
{
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

int main(void)
{
  static const int size[] = {0, 1, 2, 12, 13, 15, 16, 17, 31, 32, 33, 49, 96, 131};
  enum { N = sizeof(size) / sizeof(size[0]), MOST = 140 };
  pair *a = malloc(MOST * MOST * sizeof(pair)), *b = malloc(MOST * MOST * sizeof(pair)), *c = malloc(MOST * MOST * sizeof(pair));
  unsigned state = 1;
  for (int p = 0; p < N; p++)
    for (int q = 0; q < N; q++) {
      for (int i = 0; i < MOST * MOST; i++) {
        a[i] = (pair){next(&state) % 17 - 8.0f, next(&state) % 13 * 0.25f};
        b[i] = (pair){next(&state) % 11 - 5.0f, next(&state) % 7 * 0.5f};
        c[i] = (pair){next(&state) % 5, -1.0f};
      }
      form_right(size[p], size[q], a, b, c, MOST);
      form_solve(size[p], size[q] % 25, a, c, MOST);
      unsigned long sum = 0;
      for (int i = 0; i < MOST * MOST; i++) {
        unsigned bits[2];
        memcpy(bits, &c[i], sizeof(bits));
        sum = (sum ^ bits[0] ^ (unsigned long)bits[1] << 32) * 0x9e3779b97f4a7c15;
        sum ^= sum >> 29;
      }
      printf("%d %d %lx\n", size[p], size[q], sum);
    }
  free(a);
  free(b);
  free(c);
}
