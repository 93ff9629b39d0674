// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex numbers and pixels: lanes of register tiles write to elements that lie two or three apart. Real and imaginary parts
// are statements of their own, also where both are read before one is written; what lies between the lanes isn't touched.
// The same bit for bit at all sizes, in rows that are just long enough and longer, beside inaccessible pages.
//
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -g -Rpass=tessera -Rpass-analysis=tessera %s -c -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -DT=float -mllvm -tessera-force %s -c -o %t.o
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DT=float -DMAIN %s %t.o -o %t && %t
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel %s -c -o %t.o
// RUN: %clang -O2 -ffp-contract=off -DMAIN %s %t.o -lgomp -o %t && %t
//
// REQUIRES: native-avx2
//
// CHECK: remark: loop nest modelled: 2 statements, depth 3, 3 arrays, {{.*}}m <= lda and m <= ldc and k <= ldb
// CHECK: remark: loop nest transformed: {{.*}}register tiles of {{[0-9]+}}x{{[0-9]+}} vectors of 4 with
// CHECK: remark: loop nest transformed: {{.*}}register tiles of {{[0-9]+}}x{{[0-9]+}} vectors of 4 with
// CHECK: remark: loop nest transformed: {{.*}}register tiles of {{[0-9]+}}x{{[0-9]+}} vectors of 4 with
// CHECK: remark: loop nest transformed: {{.*}}register tiles of {{[0-9]+}}x{{[0-9]+}} vectors of 4
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef T
#define T double
#endif
#ifdef MAIN
#define F(NAME) NAME##_plain
#else
#define F(NAME) NAME
#endif

typedef struct {
  T re, im;
} number;

/* C += A * B */
void F(product)(int m, int n, int k, const number *restrict a, int lda, const number *restrict b, int ldb,
                number *restrict c, int ldc)
{
  for (int j = 0; j < n; j++)
    for (int l = 0; l < k; l++) {
      number t = b[l + j * ldb];
      for (int i = 0; i < m; i++) {
        number x = a[i + l * lda], y = c[i + j * ldc]; /* both parts are read first */
        y.re += t.re * x.re - t.im * x.im;
        y.im += t.re * x.im + t.im * x.re;
        c[i + j * ldc] = y;
      }
    }
}

/* C = conj(A)^T * B, sums in scalars */
void F(sums)(int m, int n, int k, const number *restrict a, int lda, const number *restrict b, int ldb, number *restrict c,
             int ldc)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      T re = 0, im = 0;
      for (int l = 0; l < k; l++) {
        number x = a[l + i * lda], t = b[l + j * ldb];
        T minus = -x.im;
        re += t.re * x.re - t.im * minus;
        im += t.re * minus + t.im * x.re;
      }
      c[i + j * ldc].re = re;
      c[i + j * ldc].im = im;
    }
}

/* The same downwards: i runs from the end. */
void F(down)(int m, int n, int k, const number *restrict a, int lda, const number *restrict b, int ldb, number *restrict c,
             int ldc)
{
  for (int j = 0; j < n; j++)
    for (int l = 0; l < k; l++)
      for (int i = m - 1; i >= 0; i--) {
        c[i + j * ldc].re += b[l + j * ldb].re * a[i + l * lda].re;
        c[i + j * ldc].im += b[l + j * ldb].re * a[i + l * lda].im;
      }
}

/* Rows of pixels are sums of rows of others, by weights, in each of three channels. */
void F(pixels)(int m, int n, int k, const T *restrict a, int lda, const T *restrict b, int ldb, T *restrict c, int ldc)
{
  for (int j = 0; j < n; j++)
    for (int l = 0; l < k; l++)
      for (int i = 0; i < m; i++)
        for (int channel = 0; channel < 3; channel++)
          c[3 * (i + j * ldc) + channel] += b[l + j * ldb] * a[3 * (i + l * lda) + channel];
}

#ifdef MAIN
void product(int m, int n, int k, const number *a, int lda, const number *b, int ldb, number *c, int ldc);
void sums(int m, int n, int k, const number *a, int lda, const number *b, int ldb, number *c, int ldc);
void down(int m, int n, int k, const number *a, int lda, const number *b, int ldb, number *c, int ldc);
void pixels(int m, int n, int k, const T *a, int lda, const T *b, int ldb, T *c, int ldc);

#define ROOM (1 << 18)

/* N bytes in front of a page that nobody may touch. */
static void *at_end(size_t n)
{
  char *room = mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(room + ROOM, 4096, PROT_NONE);
  return room + ROOM - n;
}

static void fill(T *to, size_t n)
{
  for (size_t i = 0; i < n; i++)
    to[i] = (T)(rand() % 1000) / 7;
}

int main(void)
{
  static const int size[] = {0, 1, 2, 3, 4, 5, 7, 8, 11, 16, 17, 24, 33};
  int wrong = 0, runs = 0;
  for (int t = 0; t < 400; t++) {
    srand((unsigned)t);
    int m = size[rand() % 13], n = size[rand() % 13], k = size[rand() % 13], more = t % 3, which = t % 4;
    int lda = (which == 1 ? k : m) + more, ldb = k + more, ldc = m + more, parts = which == 3 ? 3 : 2;
    size_t of_a = (size_t)lda * (which == 1 ? m : k) * parts, of_b = (size_t)ldb * n * (which == 3 ? 1 : 2),
           of_c = (size_t)ldc * n * parts;
    T *a = at_end(of_a * sizeof(T)), *b = at_end(of_b * sizeof(T)), *c[2] = {at_end(of_c * sizeof(T)), NULL};
    fill(a, of_a);
    fill(b, of_b);
    fill(c[0], of_c);
    c[1] = malloc(of_c * sizeof(T) + 1);
    memcpy(c[1], c[0], of_c * sizeof(T));
    for (int i = 0; i < 2; i++) {
      if (which == 0)
        (i ? product_plain : product)(m, n, k, (number *)a, lda, (number *)b, ldb, (number *)c[i], ldc);
      if (which == 1)
        (i ? sums_plain : sums)(m, n, k, (number *)a, lda, (number *)b, ldb, (number *)c[i], ldc);
      if (which == 2)
        (i ? down_plain : down)(m, n, k, (number *)a, lda, (number *)b, ldb, (number *)c[i], ldc);
      if (which == 3)
        (i ? pixels_plain : pixels)(m, n, k, a, lda, b, ldb, c[i], ldc);
    }
    runs++;
    if (memcmp(c[0], c[1], of_c * sizeof(T)) != 0 && wrong++ < 5)
      printf("round %d: other results\n", t);
    free(c[1]);
    T *rooms[3] = {a, b, c[0]};
    size_t of[3] = {of_a, of_b, of_c};
    for (int i = 0; i < 3; i++)
      munmap((char *)rooms[i] + of[i] * sizeof(T) - ROOM, ROOM + 4096);
  }
  printf("%d of %d wrong\n", wrong, runs);
  return wrong != 0;
}
#endif
