// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that run along two loops at once, c[i][m - j + k] += .., have register tiles: along the element and one of the loops.
// So have triangular products in which what is behind the diagonal is counted from it, in loops that run up and down; the
// same bit for bit at odd sizes.
//
// REQUIRES: native-avx2
//
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=haswell -Rpass=tessera %s -c -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
//
// CHECK: registers-skewed.c:[[#]]:3: remark: loop nest transformed: {{.*}}register tiles of {{[0-9]+}}x{{[0-9]+}} vectors of 4
// CHECK: registers-skewed.c:[[#]]:3: remark: loop nest transformed: {{.*}}register tiles of {{[0-9]+}}x{{[0-9]+}} vectors of 4
#ifndef MAIN
// c += b a', a below the diagonal, from the last column on
void triangle(long n, long m, double c[restrict][m], double b[restrict][m], double a[restrict][m])
{
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      for (long k = 0; k < j; k++)
        c[i][m - j + k] += b[i][m - 1 - j] * a[m - 1 - j][k];
}
// the same, elements from the last one on
void down(long n, long m, double c[restrict][m], double b[restrict][m], double a[restrict][m])
{
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      for (long k = 0; k < j; k++)
        c[i][m - 1 - k] += b[i][m - 1 - j] * a[m - 1 - j][k];
}
#else
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void triangle(long n, long m, double c[restrict][m], double b[restrict][m], double a[restrict][m]);
void down(long n, long m, double c[restrict][m], double b[restrict][m], double a[restrict][m]);

static double *make(long n, int some)
{
  double *a = malloc(n * 8 + 8);
  for (long i = 0; i < n; i++)
    a[i] = (double)(i * some % 37) / 7 - 2;
  return a;
}

static int differs(int which, long n, long m)
{
  double *c = make(n * m, 3), *d = make(n * m, 3), *b = make(n * m, 5), *a = make(m * m, 7);
  (which ? down : triangle)(n, m, (void *)c, (void *)b, (void *)a);
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      for (long k = 0; k < j; k++) {
        long at = m - 1 - j, other = which ? m - j + (j - 1 - k) : m - j + k;
        d[i * m + other] += b[i * m + at] * a[at * m + k];
      }
  int wrong = memcmp(c, d, n * m * 8) != 0;
  free(a), free(b), free(c), free(d);
  if (wrong)
    printf("%d: %ld %ld\n", which, n, m);
  return wrong;
}

int main(void)
{
  static const long size[] = {0, 1, 2, 5, 7, 8, 11, 12, 13, 31, 33, 47, 48, 64, 97, 101, 150};
  int wrong = 0, n_size = sizeof(size) / sizeof(*size);
  for (int which = 0; which < 2; which++)
    for (int i = 0; i < n_size; i++)
      for (int j = 0; j < n_size; j++)
        wrong += differs(which, size[i], size[j]);
  return wrong != 0;
}
#endif
