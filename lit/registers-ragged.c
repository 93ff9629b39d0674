// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// At a diagonal, where sums begin or end one lane after the other, register tiles are ragged: all rows and vectors of a tile
// at once, with masks of its own for each step. Sums that begin at the diagonal, and end there, from both sides; with subscripts
// of unsigned numbers, which wrap in lanes that are hidden. The same bit for bit at many sizes, in rows that are longer, and
// nothing else is touched.
//
// REQUIRES: native-avx2
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=haswell -mllvm -tessera-print=ast -Rpass=tessera %s -c -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=haswell -mllvm -tessera-force -DT=float %s -c -o %t.o
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN -DT=float %s %t.o -o %t && %t
//
// CHECK-LABEL: tessera: begins.0
// CHECK:      // registers [[R:[0-9]+]]x
// CHECK-NEXT: for (int [[K:c[0-9]+]] =
// CHECK-NEXT:   for (int [[ROW:c[0-9]+]] = 0; [[ROW]] <= {{[0-9]+}};
// CHECK-NEXT:     for (int [[LANE:c[0-9]+]] = {{.*}}[[K]]
// CHECK-NEXT:       S0(
// CHECK: remark: loop nest transformed: {{.*}}register tiles of {{[0-9]+}}x{{[0-9]+}} vectors of 4
// CHECK-LABEL: tessera: ends.0
// CHECK:      // registers
// CHECK: remark: loop nest transformed: {{.*}}register tiles of {{[0-9]+}}x{{[0-9]+}} vectors of 4
#ifndef T
#define T double
#endif
#ifndef MAIN
void begins(long n, long m, long l, T c[restrict][l], T b[restrict][m], T a[restrict][m])
{
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      for (long k = j; k < m; k++)
        c[i][j] += b[i][k] * a[k][j];
}

void ends(long n, long m, long l, T c[restrict][l], T b[restrict][m], T a[restrict][m])
{
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      for (long k = 0; k < j; k++)
        c[i][j] += b[i][k] * a[j][k];
}

void band(long n, long m, long l, T c[restrict][l], T b[restrict][m], T a[restrict][m])
{
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      for (long k = j > 20 ? j - 20 : 0; k < j + 30 && k < m; k++)
        c[i][j] += b[i][k] * a[k][j];
}

void unsign(unsigned n, unsigned m, unsigned l, T *restrict c, T *restrict b, T *restrict a)
{
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = m; j-- > 0;)
      for (unsigned k = 0; k < j; k++)
        c[i * l + j] += b[i * m + k] * a[k * m + j];
}
#else
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void begins(long n, long m, long l, T c[restrict][l], T b[restrict][m], T a[restrict][m]);
void ends(long n, long m, long l, T c[restrict][l], T b[restrict][m], T a[restrict][m]);
void band(long n, long m, long l, T c[restrict][l], T b[restrict][m], T a[restrict][m]);
void unsign(unsigned n, unsigned m, unsigned l, T *restrict c, T *restrict b, T *restrict a);

static T *make(long n, int some)
{
  T *a = malloc(n * sizeof(T) + 8);
  for (long i = 0; i < n; i++)
    a[i] = (T)(i * some % 37) / 7 - 2;
  return a;
}

static int differs(int which, long n, long m)
{
  long l = m + 3;
  T *c = make(n * l, 3), *d = make(n * l, 3), *b = make(n * m, 5), *a = make(m * m, 7);
  if (which == 0)
    begins(n, m, l, (void *)c, (void *)b, (void *)a);
  else if (which == 1)
    ends(n, m, l, (void *)c, (void *)b, (void *)a);
  else if (which == 2)
    band(n, m, l, (void *)c, (void *)b, (void *)a);
  else
    unsign((unsigned)n, (unsigned)m, (unsigned)l, c, b, a);
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++) {
      long from = which == 0 ? j : which == 2 && j > 20 ? j - 20 : 0, to = which == 0 ? m : which == 2 ? j + 30 : j;
      for (long k = from; k < to && k < m; k++)
        d[i * l + j] += b[i * m + k] * (which == 1 ? a[j * m + k] : a[k * m + j]);
    }
  int wrong = memcmp(c, d, n * l * sizeof(T)) != 0;
  free(a), free(b), free(c), free(d);
  if (wrong)
    printf("%d: %ld %ld\n", which, n, m);
  return wrong;
}

int main(void)
{
  static const long size[] = {0, 1, 2, 3, 5, 7, 8, 11, 12, 13, 15, 16, 17, 23, 31, 33, 47, 64, 97, 101, 150};
  int wrong = 0, n_size = sizeof(size) / sizeof(*size);
  for (int which = 0; which < 4; which++)
    for (int i = 0; i < n_size; i++)
      for (int j = 0; j < n_size; j++)
        wrong += differs(which, size[i], size[j]);
  return wrong != 0;
}
#endif
