// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums along rows of complex numbers: rows are read with both parts, transposed in pairs, and what real and imaginary sums
// read of them is read once. Up and down the rows, from a diagonal on, and in place, where a row waits for those before it.
//
// RUN: %clang -O3 -march=x86-64-v4 -ffp-contract=off -fpass-plugin=%plugin -Rpass=tessera -mllvm -tessera-only=^form_ \
// RUN:   -mllvm -tessera-machine=znver5 -S -emit-llvm %s -o %t.ll 2>&1 | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=IR --input-file=%t.ll
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=znver5 %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out
// RUN: %clang -O1 -ffp-contract=off -DNUMBER=double %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -DNUMBER=double %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef NUMBER
#define NUMBER float
#endif
typedef struct {
  NUMBER re, im;
} pair;

#define FORM __attribute__((noinline)) static void

/* y := a x, of 64 rows. One block of eight columns, of sixteen rows: a load each, for both parts of the sum. */
// CHECK-DAG: pairs.c:[[@LINE+9]]:3: remark: loop nest transformed: {{.*}} register tiles of 1x1 vectors of 16
// IR-LABEL: define {{.*}}@form_whole(
// IR: phi <16 x float>
// IR-NEXT: phi <16 x float>
// IR-COUNT-16: load <16 x float>
// IR-NOT: load <16 x float>
// IR: br i1
FORM form_whole(int n, const pair *restrict a, const pair *restrict x, pair *restrict y, int ld)
{
  for (int i = 0; i < 64; i++) {
    NUMBER re = 0, im = 0;
    for (int k = 0; k < n; k++) {
      pair f = a[(long)i * ld + k];
      re += f.re * x[k].re - f.im * x[k].im;
      im += f.re * x[k].im + f.im * x[k].re;
    }
    y[i].re += 2 * re;
    y[i].im -= 3 * im;
  }
}

/* y := a x */
// CHECK-DAG: pairs.c:[[@LINE+3]]:3: remark: loop nest transformed: {{.*}} register tiles of 1x1 vectors of 16
FORM form_rows(int m, int n, const pair *restrict a, const pair *restrict x, pair *restrict y, int ld)
{
  for (int i = 0; i < m; i++) {
    NUMBER re = 0, im = 0;
    for (int k = 0; k < n; k++) {
      pair f = a[(long)i * ld + k];
      re += f.re * x[k].re - f.im * x[k].im;
      im += f.re * x[k].im + f.im * x[k].re;
    }
    y[i].re += 2 * re;
    y[i].im -= 3 * im;
  }
}

/* x := a x, row by row: a upper triangular, with ones on its diagonal */
// CHECK-DAG: pairs.c:[[@LINE+3]]:3: remark: loop nest transformed: {{.*}} register tiles of 1x1 vectors of 16
FORM form_product(int n, const pair *restrict a, pair *restrict x, int ld)
{
  for (int i = 0; i < n; i++) {
    NUMBER re = x[i].re, im = x[i].im;
    for (int k = i + 1; k < n; k++) {
      pair f = a[(long)i * ld + k];
      re += f.re * x[k].re - f.im * x[k].im;
      im += f.re * x[k].im + f.im * x[k].re;
    }
    x[i].re = re;
    x[i].im = im;
  }
}

/* The same from below, down the rows: a lower triangular */
FORM form_down(int n, const pair *restrict a, pair *restrict x, int ld)
{
  for (int i = n - 1; i >= 0; i--) {
    NUMBER re = x[i].re, im = x[i].im;
    for (int k = i - 1; k >= 0; k--) {
      pair f = a[(long)i * ld + k];
      re += f.re * x[k].re - f.im * x[k].im;
      im += f.re * x[k].im + f.im * x[k].re;
    }
    x[i].re = re;
    x[i].im = im;
  }
}

/* x := a^-1 x, a lower triangular, with ones on its diagonal */
// CHECK-DAG: pairs.c:[[@LINE+3]]:3: remark: loop nest transformed: {{.*}} register tiles of 1x1 vectors of 16
FORM form_solve(int n, const pair *restrict a, pair *restrict x, int ld)
{
  for (int i = 0; i < n; i++) {
    NUMBER re = x[i].re, im = x[i].im;
    for (int k = 0; k < i; k++) {
      pair f = a[(long)i * ld + k];
      re -= f.re * x[k].re - f.im * x[k].im;
      im -= f.re * x[k].im + f.im * x[k].re;
    }
    x[i].re = re;
    x[i].im = im;
  }
}

/* Real parts alone, and three numbers in a row */
FORM form_others(int m, int n, const pair *restrict a, const NUMBER (*restrict b)[3], pair *restrict y,
                 NUMBER (*restrict z)[3], int ld)
{
  for (int i = 0; i < m; i++) {
    NUMBER sum = 0;
    for (int k = 0; k < n; k++)
      sum += a[(long)i * ld + k].re * y[k].im;
    z[i][0] = sum;
  }
  for (int i = 0; i < m; i++) {
    NUMBER sum = 0, other = 0;
    for (int k = 0; k < n; k++) {
      sum += b[(long)i * ld + k][0] * b[(long)i * ld + k][2];
      other += b[(long)i * ld + k][1];
    }
    z[i][1] = sum;
    z[i][2] = other;
  }
}

/* Numbers that are read again behind a store, and pairs of which the second one begins where the first one ends: what is one
 * sum's second part is another one's first. */
FORM form_again(int m, int n, const NUMBER *restrict a, const NUMBER *restrict x, NUMBER *restrict w, NUMBER (*restrict z)[3],
                int ld)
{
  for (int i = 0; i < m; i++) {
    NUMBER sum = 0;
    for (int k = 0; k < n; k++) {
      sum += a[(long)i * ld + 2 * k] * x[k] - a[(long)i * ld + 2 * k + 1];
      w[(long)i * ld + k] = x[k] + 1;
      sum += a[(long)i * ld + 2 * k] + a[(long)i * ld + 2 * k + 1] * x[k];
    }
    z[i][0] = sum;
  }
  for (int i = 0; i < m; i++) {
    NUMBER sum = 0, other = 0;
    for (int k = 0; k < n; k++) {
      sum += a[(long)i * ld + 2 * k] * a[(long)i * ld + 2 * k + 1];
      other += a[(long)i * ld + 2 * k + 1] * a[(long)i * ld + 2 * k + 2] - x[k];
    }
    z[i][1] = sum;
    z[i][2] = other;
  }
}

enum { MOST = 220 };

static unsigned long hash(const void *data, size_t bytes)
{
  unsigned long sum = 0;
  for (size_t i = 0; i < bytes; i++)
    sum = (sum ^ ((const unsigned char *)data)[i]) * 0x100000001b3;
  return sum;
}

int main(void)
{
  static const int size[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 23, 24, 31, 33, 64, 100, 129, 213};
  enum { N = sizeof(size) / sizeof(size[0]) };
  pair *a = malloc(MOST * MOST * sizeof(pair)), x[MOST], y[MOST];
  NUMBER(*b)[3] = malloc(MOST * MOST * sizeof(*b)), z[MOST][3], *w = calloc(MOST * MOST, sizeof(*w));
  unsigned state = 1;
  for (int i = 0; i < MOST * MOST; i++) {
    state = state * 1664525 + 1013904223;
    a[i] = (pair){(NUMBER)((int)(state >> 9) % 17) / 64, (NUMBER)((int)(state >> 15) % 13 - 6) / 64};
    for (int p = 0; p < 3; p++)
      b[i][p] = (NUMBER)((state >> (8 + p)) % 29) / 7;
  }
  for (int p = 0; p < N; p++) {
    for (int i = 0; i < MOST; i++) {
      x[i] = (pair){(NUMBER)(i % 11 + 1) / 3, (NUMBER)(i % 7 - 3) / 5};
      y[i] = (pair){(NUMBER)(i % 5), (NUMBER)(i % 3)};
    }
    memset(z, 0, sizeof(z));
    for (int q = 0; q < N; q++)
      form_rows(size[p], size[q], a, x, y, MOST);
    form_whole(size[p], a, x, y, MOST);
    form_product(size[p], a, x, MOST);
    form_down(size[p], a + 1, x, MOST);
    form_solve(size[p], a, x, MOST);
    form_others(size[p], size[N - 1 - p], a, (const NUMBER(*)[3])b, y, z, MOST);
    printf("%d %lx %lx %lx\n", size[p], hash(x, sizeof(x)), hash(y, sizeof(y)), hash(z, sizeof(z)));
    form_again(size[p], size[N - 1 - p] / 2, &a[0].re, &b[0][0], w, z, MOST);
    printf("%lx %lx\n", hash(w, MOST * MOST * sizeof(*w)), hash(z, sizeof(z)));
  }
  free(a);
  free(b);
  free(w);
}
