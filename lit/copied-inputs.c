// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products in place, whose rows or columns read others before these are overwritten: a copy of what is read, made in front of
// all, leaves sums that may have any order of rows and columns, so that they are in register tiles. Columns from the right
// (right), rows by dot products (left), complex numbers (parts), what is read being further on in the sum (skewed). The same
// bit for bit at many sizes, in double and float, in arrays with longer rows, and at sizes at which it doesn't pay.
//
// REQUIRES: native-avx2
//
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=haswell -mllvm -tessera-print=ast -Rpass=tessera -Rpass-analysis=tessera %s -c -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -DT=float -Rpass=tessera %s -c -o %t.o
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN -DT=float %s %t.o -o %t && %t
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-parallel %s -c -o %t.o
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -lgomp -o %t && env OMP_NUM_THREADS=3 %t
//
// What was found, printed as commands and obeyed, gives the same code; without the test of sizes it runs at all of them.
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=haswell -mllvm -tessera-print=commands %s -c -o %t.o 2> %t.found
// RUN: grep -A1 'copy_inputs()' %t.found | grep -c 'register_tiles()' | grep 4
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=haswell -mllvm -tessera-commands=%t.found %s -c -o %t.again.o
// RUN: cmp %t.o %t.again.o
// RUN: grep -v where_it_pays %t.found > %t.always
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=haswell -mllvm -tessera-commands=%t.always %s -c -o %t.o
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
//
// A solve reads what it has written, and what is read once is as good as a copy of it: both is said.
// RUN: echo 'solve: copy_inputs()' | sed 's/: /:\n  /' > %t.solve
// RUN: %not %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-commands=%t.solve -DREFUSED %s -c -o %t.o 2>&1 | %FileCheck %s --check-prefix=REFUSED
// RUN: echo 'once: copy_inputs()' | sed 's/: /:\n  /' > %t.once
// RUN: %not %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-commands=%t.once -DREFUSED %s -c -o %t.o 2>&1 | %FileCheck %s --check-prefix=REFUSED
// REFUSED: copy_inputs: nothing is read again and again before it is overwritten
//
// CHECK-LABEL: tessera: right.0
// CHECK:         load_[[B:A_[0-9]]]({{.*}});
// CHECK:         // registers
// CHECK: remark: compared, by estimated cost, {{.*}}(taken) inputs copied, register tiles
// CHECK: remark: loop nest transformed: {{.*}}register tiles of
// CHECK-LABEL: tessera: left.0
// CHECK:         load_{{A_[0-9]}}({{.*}});
// CHECK:         // registers
// CHECK: remark: compared, by estimated cost, {{.*}}(taken) inputs copied, register tiles
// CHECK-LABEL: tessera: parts.0
// CHECK:         load_{{A_[0-9]+}}({{.*}});
// CHECK:         // registers
// CHECK: remark: compared, by estimated cost, {{.*}}(taken) inputs copied, register tiles
// CHECK-LABEL: tessera: skewed.0
// CHECK:         load_{{A_[0-9]+}}({{.*}});
// CHECK:         // registers
// CHECK: remark: compared, by estimated cost, {{.*}}(taken) inputs copied, register tiles
#ifndef T
#define T double
#endif
#ifdef REFUSED
void solve(long m, long n, T b[restrict n][m], T a[restrict n][n])
{
  for (long j = 0; j < n; j++)
    for (long k = 0; k < j; k++)
      for (long i = 0; i < m; i++)
        b[j][i] -= a[j][k] * b[k][i];
}
void once(long m, long n, T b[restrict n][m])
{
  for (long j = 0; j < n - 1; j++)
    for (long i = 0; i < m; i++)
      b[j][i] += b[j + 1][i];
}
#elif !defined MAIN
// B := B U: column j needs those before it as they were
void right(long m, long n, long l, T b[restrict n][l], T a[restrict n][n])
{
  for (long j = n - 1; j >= 0; j--) {
    for (long i = 0; i < m; i++)
      b[j][i] *= a[j][j];
    for (long k = 0; k < j; k++)
      for (long i = 0; i < m; i++)
        b[j][i] += a[j][k] * b[k][i];
  }
}

// B := U' B, row by row from the end
void left(long m, long n, long l, T b[restrict n][l], T a[restrict m][m])
{
  for (long j = 0; j < n; j++)
    for (long i = m - 1; i >= 0; i--) {
      T t = b[j][i] * a[i][i];
      for (long k = 0; k < i; k++)
        t += a[i][k] * b[j][k];
      b[j][i] = t;
    }
}

// right, of complex numbers
void parts(long m, long n, long l, T b[restrict n][l][2], T a[restrict n][n][2])
{
  for (long j = n - 1; j >= 0; j--)
    for (long k = 0; k < j; k++)
      for (long i = 0; i < m; i++) {
        T re = a[j][k][0] * b[k][i][0] - a[j][k][1] * b[k][i][1], im = a[j][k][0] * b[k][i][1] + a[j][k][1] * b[k][i][0];
        b[j][i][0] += re;
        b[j][i][1] += im;
      }
}

// Forwards: what is read is as far on in the sum as what is written
void skewed(long m, long n, long l, T b[restrict n][l][2], T a[restrict n][n][2])
{
  for (long j = 0; j < n; j++)
    for (long k = j + 1; k < n; k++)
      for (long i = 0; i < m; i++) {
        T re = a[j][k][0] * b[k][i][0] - a[j][k][1] * b[k][i][1], im = a[j][k][0] * b[k][i][1] + a[j][k][1] * b[k][i][0];
        b[j][i][0] += re;
        b[j][i][1] += im;
      }
}
#else
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void right(long m, long n, long l, T b[restrict n][l], T a[restrict n][n]);
void left(long m, long n, long l, T b[restrict n][l], T a[restrict m][m]);
void parts(long m, long n, long l, T b[restrict n][l][2], T a[restrict n][n][2]);
void skewed(long m, long n, long l, T b[restrict n][l][2], T a[restrict n][n][2]);

static void plain(int which, long m, long n, long l, T *b, const T *a)
{
  for (long i = 0; i < (which == 1 ? n : m); i++)
    for (long s = 0, order = which == 1 ? m : n; s < order; s++) {
      long j = which == 3 ? s : order - 1 - s;
      volatile T re, im; // no chain of these becomes vectors
      if (which < 2) {
        T *row = which == 1 ? b + i * l : b + i;
        long by = which == 1 ? 1 : l;
        re = row[j * by] * a[j * order + j];
        for (long k = 0; k < j; k++)
          re = re + a[j * order + k] * row[k * by];
        row[j * by] = re;
      } else {
        re = b[(j * l + i) * 2];
        im = b[(j * l + i) * 2 + 1];
        for (long k = which == 3 ? j + 1 : 0; k < (which == 3 ? n : j); k++) {
          const T *x = a + (j * n + k) * 2, *y = b + (k * l + i) * 2;
          re = re + (x[0] * y[0] - x[1] * y[1]);
          im = im + (x[0] * y[1] + x[1] * y[0]);
        }
        b[(j * l + i) * 2] = re;
        b[(j * l + i) * 2 + 1] = im;
      }
    }
}

static int differs(int which, long m, long n, long more)
{
  long l = m + more, order = which == 1 ? m : n;
  size_t bytes = (size_t)n * l * 2 * sizeof(T) + 8;
  T *b = malloc(bytes), *c = malloc(bytes), *a = malloc((size_t)order * order * 2 * sizeof(T) + 8);
  for (long i = 0; i < 2 * n * l; i++)
    b[i] = c[i] = (T)(i % 31) / 7 - 2;
  for (long i = 0; i < 2 * order * order; i++)
    a[i] = (T)(i % 29) / 70 - (T)0.2;
  plain(which, m, n, l, c, a);
  if (which == 0)
    right(m, n, l, (void *)b, (void *)a);
  else if (which == 1)
    left(m, n, l, (void *)b, (void *)a);
  else if (which == 2)
    parts(m, n, l, (void *)b, (void *)a);
  else
    skewed(m, n, l, (void *)b, (void *)a);
  int bad = memcmp(b, c, (size_t)n * l * (which < 2 ? 1 : 2) * sizeof(T)) != 0;
  if (bad)
    printf("%d: m %ld, n %ld, %ld more: differs\n", which, m, n, more);
  free(a);
  free(b);
  free(c);
  return bad;
}

int main(void)
{
  static const long size[] = {0, 1, 2, 3, 7, 16, 17, 31, 48, 65, 97, 200};
  int bad = 0;
  for (int which = 0; which < 4; which++)
    for (int i = 0; i < 12; i++)
      for (int k = 0; k < 12; k++)
        bad |= differs(which, size[i], size[k], 3 * ((i + k) % 2));
  return bad;
}
#endif
