// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product with a symmetric matrix of complex numbers, of which one triangle is stored: four sums in register tiles, with
// sixteen packed operands. All of it is found, proved and written within the budget as it is by default; the same bit for bit.
//
// RUN: %clang -O3 -march=x86-64 -ffp-contract=off -fpass-plugin=%plugin -g -Rpass=tessera -Rpass-missed=tessera %s -c -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -march=x86-64 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
//
// CHECK-NOT: budget
// CHECK: remark: loop nest transformed: {{.*}}register tiles of {{[0-9]+}}x{{[0-9]+}} vectors of 4 with 16 packed operands
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MAIN
#define F(NAME) NAME##_plain
#else
#define F(NAME) NAME
#endif

/* C += alpha * A * B, A symmetric, its lower triangle at hand; a number is two floats */
void F(symmetric)(int m, int n, const float *alpha, const float *a, int lda, const float *b, int ldb, float *c, int ldc)
{
  const float re = alpha[0], im = alpha[1];
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      const float b_re = b[2 * (ldb * i + j)], b_im = b[2 * (ldb * i + j) + 1];
      const float t_re = re * b_re - im * b_im, t_im = re * b_im + im * b_re;
      float sum_re = 0, sum_im = 0;
      for (int k = 0; k < i; k++) {
        const float x_re = a[2 * (i * lda + k)], x_im = a[2 * (i * lda + k) + 1];
        const float y_re = b[2 * (ldb * k + j)], y_im = b[2 * (ldb * k + j) + 1];
        c[2 * (ldc * k + j)] += x_re * t_re - x_im * t_im;
        c[2 * (ldc * k + j) + 1] += x_re * t_im + x_im * t_re;
        sum_re += x_re * y_re - x_im * y_im;
        sum_im += x_re * y_im + x_im * y_re;
      }
      {
        const float x_re = a[2 * (i * lda + i)], x_im = a[2 * (i * lda + i) + 1];
        c[2 * (i * ldc + j)] += t_re * x_re - t_im * x_im;
        c[2 * (i * ldc + j) + 1] += t_re * x_im + t_im * x_re;
      }
      c[2 * (i * ldc + j)] += re * sum_re - im * sum_im;
      c[2 * (i * ldc + j) + 1] += re * sum_im + im * sum_re;
    }
}

#ifdef MAIN
void symmetric(int m, int n, const float *alpha, const float *a, int lda, const float *b, int ldb, float *c, int ldc);

/* SIZE numbers, each in [0, 1) */
static float *numbers(int size)
{
  float *all = malloc(2 * (size_t)size * sizeof(*all));
  for (int i = 0; i < 2 * size; i++)
    all[i] = (float)(i * 37 % 101) / 101;
  return all;
}

int main(void)
{
  static const int sizes[] = {0, 1, 3, 5, 8, 13, 31, 64, 97, 130};
  const float alpha[] = {0.5f, -0.25f};
  for (int x = 0; x < 10; x++)
    for (int y = 0; y < 10; y++) {
      int m = sizes[x], n = sizes[y], lda = m + 3, ldb = n + 1, ldc = n + 2;
      float *a = numbers(m * lda + 1), *b = numbers(m * ldb + 1);
      float *c[] = {numbers(m * ldc + 1), numbers(m * ldc + 1)};
      symmetric(m, n, alpha, a, lda, b, ldb, c[0], ldc);
      symmetric_plain(m, n, alpha, a, lda, b, ldb, c[1], ldc);
      if (memcmp(c[0], c[1], 2 * ((size_t)m * ldc + 1) * sizeof(float)))
        return printf("%d x %d differs\n", m, n), 1;
      free(a);
      free(b);
      free(c[0]);
      free(c[1]);
    }
  return 0;
}
#endif
