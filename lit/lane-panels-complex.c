// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex solves from the end: both numbers of an element are written at once, to a buffer that the lanes of columns share;
// the sums of each are parts apart. Quotients are the library's, lane by lane. That lanes pay is seen with buffers alone: the
// numbers of an element lie between those of two lanes. Two conditions as BLAS has them, of the caller's, around. The same
// bit for bit, at sizes around the lanes and around the test of sizes, and in arrays with longer rows.
//
// REQUIRES: native-avx2
//
// DEFINE: %{t} = double
// DEFINE: %{flags} = -march=x86-64-v3 -ffp-contract=off -DT=%{t}
// DEFINE: %{run} = %clang -O3 %{flags} -fpass-plugin=%plugin -mllvm -tessera-machine=haswell -mllvm -tessera-print=ast -Rpass=tessera \
// DEFINE:     %s -c -o %t.o 2> %t.said && %FileCheck %s < %t.said && %clang -O2 %{flags} -DMAIN %s %t.o -o %t && %t
// RUN: %{run}
// REDEFINE: %{t} = float
// RUN: %{run}
//
// CHECK: tessera: solve.0
// CHECK: // allocate [[B:A_[0-9]+]]_buffer
// CHECK: load_[[B]](
// CHECK: // lockstep {{[0-9]}}x{{4|8}}
// CHECK: store_[[B]](
// CHECK: remark: loop nest transformed: {{.*}}1 outer loop in lanes of {{[0-9]}}x{{4|8}};{{.*}}runs where
typedef struct {
  T re, im;
} number;
typedef _Complex T complex_number;
#ifdef MAIN
#define NAME solve_plain
#else
#define NAME solve
#endif

#define DIVIDE(x, y_re, y_im)                                                                                               \
  do {                                                                                                                      \
    complex_number dividend, divisor, result;                                                                               \
    __real__ dividend = x.re;                                                                                               \
    __imag__ dividend = x.im;                                                                                               \
    __real__ divisor = y_re;                                                                                                \
    __imag__ divisor = y_im;                                                                                                \
    result = dividend / divisor;                                                                                            \
    x.re = __real__ result;                                                                                                 \
    x.im = __imag__ result;                                                                                                 \
  } while (0)

/* Columns of b, which lie in rows of memory: inv(a^T), or inv(a^H). */
void NAME(int m, int n, int l, number a[restrict][l], number b[restrict][l], int unit, int conjugated)
{
  for (int j = 0; j < n; j++)
    for (int i = m - 1; i >= 0; i--) {
      number sum = {b[j][i].re, b[j][i].im};
      if (conjugated) {
        for (int k = i + 1; k < m; k++) {
          sum.re = sum.re - (a[i][k].re * b[j][k].re + a[i][k].im * b[j][k].im);
          sum.im = sum.im - (a[i][k].re * b[j][k].im - a[i][k].im * b[j][k].re);
        }
        if (!unit)
          DIVIDE(sum, a[i][i].re, -a[i][i].im);
      } else {
        for (int k = i + 1; k < m; k++) {
          sum.re = sum.re - (a[i][k].re * b[j][k].re - a[i][k].im * b[j][k].im);
          sum.im = sum.im - (a[i][k].re * b[j][k].im + a[i][k].im * b[j][k].re);
        }
        if (!unit)
          DIVIDE(sum, a[i][i].re, a[i][i].im);
      }
      b[j][i].re = sum.re;
      b[j][i].im = sum.im;
    }
}

#ifdef MAIN
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void solve(int m, int n, int l, number a[][l], number b[][l], int unit, int conjugated);

int main(void)
{
  static const int sizes[] = {0, 1, 2, 3, 4, 7, 8, 9, 13, 16, 17, 31, 32, 33, 64, 67, 101};
  const int count = sizeof(sizes) / sizeof(*sizes);
  for (int u = 0; u < count * count * 4; u++) {
    int m = sizes[u / 4 % count], n = sizes[u / 4 / count], l = m + u % 3, rows = (m > n ? m : n) + 1;
    size_t size = (size_t)rows * (l + 1) * sizeof(number);
    number *a = malloc(size), *b = malloc(size), *c = malloc(size);
    for (size_t e = 0; e < size / sizeof(number); e++) {
      a[e] = (number){(T)(e % 17) / 16 + 1, (T)(e % 23) / 64};
      b[e] = c[e] = (number){(T)(e % 29) / 8 - 1, (T)(e % 7)};
    }
    solve(m, n, l, (number(*)[l])a, (number(*)[l])b, u & 1, u >> 1 & 1);
    solve_plain(m, n, l, (number(*)[l])a, (number(*)[l])c, u & 1, u >> 1 & 1);
    if (memcmp(b, c, size))
      return printf("%d x %d, %d\n", m, n, u & 3), 1;
    free(a);
    free(b);
    free(c);
  }
  return 0;
}
#endif
