// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex numbers as reference BLAS has them, two numbers in a row, all of one matrix in one array. LLVM makes no vectors of
// what clang writes, as it would have to tell apart real and imaginary parts at run time; of new code it does: both are marked
// as parallel, and share their loads. Zero skips of both parts; where the nest has written what it asks for, the guard is asked
// in front of the loop. Sums of which a condition chooses one.
//
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v4 -ffp-contract=off -fpass-plugin=%plugin -gline-tables-only -Rpass=tessera \
// RUN:   -mllvm -tessera-only=^form_ -S -emit-llvm %s -o %t.ll 2>&1 | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=IR --input-file=%t.ll
// RUN: %clang -O3 -march=x86-64-v4 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-only=^form_guarded -S -emit-llvm \
// RUN:   %s -o - | %FileCheck %s --check-prefix=GUARD
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin %s -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=znver4 %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  float re, im;
} pair;

#define FORM __attribute__((noinline)) static void

/* b := b * a^-1, a upper triangular, columns of b */
// CHECK: pairs.c:[[@LINE+4]]:3: remark: loop nest transformed
// IR: load <32 x float>
FORM form_solve(int m, int n, const pair *restrict a, pair *restrict b, int ld)
{
  for (int j = 0; j < n; j++)
    for (int k = 0; k < j; k++) {
      pair f = a[k + (long)j * ld];
      if (f.re != 0 || f.im != 0)
        for (int i = 0; i < m; i++) {
          pair x = b[i + (long)k * ld], *y = &b[i + (long)j * ld];
          y->re -= f.re * x.re - f.im * x.im;
          y->im -= f.re * x.im + f.im * x.re;
        }
    }
}

/* b := b * a^T: what is 1 + 0i in the end changes nothing */
FORM form_scaled(int m, int n, int unit, const pair *restrict scale, const pair *restrict a, pair *restrict b, int ld)
{
  const pair alpha = *scale;
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) {
      pair f = a[j + (long)k * ld];
      if (f.re != 0 || f.im != 0) {
        pair t = {alpha.re * f.re - alpha.im * f.im, alpha.re * f.im + alpha.im * f.re};
        for (int i = 0; i < m; i++) {
          pair x = b[i + (long)k * ld], *y = &b[i + (long)j * ld];
          y->re += t.re * x.re - t.im * x.im;
          y->im += t.re * x.im + t.im * x.re;
        }
      }
    }
    pair t = alpha;
    if (!unit) {
      pair d = a[k + (long)k * ld];
      t = (pair){alpha.re * d.re - alpha.im * d.im, alpha.re * d.im + alpha.im * d.re};
    }
    if ((t.re != 1) | (t.im != 0))
      for (int i = 0; i < m; i++) {
        pair x = b[i + (long)k * ld], *y = &b[i + (long)k * ld];
        *y = (pair){t.re * x.re - t.im * x.im, t.re * x.im + t.im * x.re};
      }
  }
}

/* b := a^-1 * b: what was zero is skipped */
// CHECK: pairs.c:[[@LINE+6]]:3: remark: loop nest transformed
// GUARD-LABEL: define {{.*}}@form_guarded.tsr.large(
// GUARD: load <32 x float>
// GUARD: store <32 x float>
FORM form_guarded(int m, int n, const pair *restrict a, pair *restrict b, int ld)
{
  for (int j = 0; j < n; j++)
    for (int k = m - 1; k >= 0; k--) {
      pair x = b[k + (long)j * ld];
      if (x.re != 0 || x.im != 0)
        for (int i = 0; i < k; i++) {
          pair f = a[i + (long)k * ld], *y = &b[i + (long)j * ld];
          y->re -= x.re * f.re - x.im * f.im;
          y->im -= x.re * f.im + x.im * f.re;
        }
    }
}

/* b := alpha * a^T * b or alpha * a^H * b, a lower triangular */
// CHECK: pairs.c:[[@LINE+5]]:3: remark: loop nest transformed: {{.*}} register tiles of
FORM form_sums(int m, int n, int unit, int conjugate, const pair *restrict scale, const pair *restrict a, pair *restrict b,
               int ld)
{
  const pair alpha = *scale;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      pair t = b[i + (long)j * ld], d = a[i + (long)i * ld];
      if (!conjugate) {
        if (!unit)
          t = (pair){t.re * d.re - t.im * d.im, t.re * d.im + t.im * d.re};
        for (int k = i + 1; k < m; k++) {
          pair f = a[k + (long)i * ld], x = b[k + (long)j * ld];
          t.re += f.re * x.re - f.im * x.im;
          t.im += f.re * x.im + f.im * x.re;
        }
      } else {
        if (!unit)
          t = (pair){t.re * d.re + t.im * d.im, t.im * d.re - t.re * d.im};
        for (int k = i + 1; k < m; k++) {
          pair f = a[k + (long)i * ld], x = b[k + (long)j * ld];
          t.re += f.re * x.re + f.im * x.im;
          t.im += f.re * x.im - f.im * x.re;
        }
      }
      b[i + (long)j * ld] = (pair){alpha.re * t.re - alpha.im * t.im, alpha.re * t.im + alpha.im * t.re};
    }
}

static void fill(pair *p, long n, int seed, int zeros)
{
  for (long i = 0; i < n; i++) {
    p[i] = (pair){(float)((i * seed + 3) % 17 - 8) / 16, (float)((i * (seed + 2) + 1) % 13 - 6) / 32};
    if (zeros && i % zeros == 0)
      p[i] = (pair){0, 0};
  }
}

__attribute__((noinline, optnone)) static void test(int m, int n, int zeros)
{
  int ld = (m > n ? m : n) + 3;
  long size = (long)ld * ld + 1;
  pair *a = malloc(size * sizeof(*a)), *b = malloc(size * sizeof(*b));
  static const pair alpha[] = {{1, 0}, {0.5f, -0.25f}};
  unsigned hash = 5381, word;
  for (int form = 0; form < 14; form++) {
    fill(a, size, 7, zeros);
    fill(b, size, 5, zeros ? 2 * zeros : 0);
    if (form == 0)
      form_solve(m, n, a, b, ld);
    else if (form == 1)
      form_guarded(m, n, a, b, ld);
    else if (form < 6)
      form_scaled(m, n, form & 1, &alpha[form >> 1 & 1], a, b, ld);
    else
      form_sums(m, n, form & 1, form >> 1 & 1, &alpha[form >> 2 & 1], a, b, ld);
    for (long i = 0; i < 2 * size; i++) {
      memcpy(&word, (float *)b + i, sizeof(word));
      hash = hash * 33 ^ word;
    }
  }
  printf("%d x %d, %d: %08x\n", m, n, zeros, hash);
  free(a);
  free(b);
}

int main(void)
{
  static const int size[] = {0, 1, 2, 3, 8, 15, 16, 17, 33, 50, 97};
  for (int i = 0; i < 11; i++)
    for (int k = 0; k < 11; k++)
      for (int zeros = 0; zeros < 6; zeros += 5)
        test(size[i], size[k], zeros);
  return 0;
}
