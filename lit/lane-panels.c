// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that have to come one behind the other, as in triangular solves from the end, in lanes of a loop around: they are in
// registers, and what they read again and again is in a buffer with the lanes next to each other, whether these are columns
// (right, two) or rows (left). Columns that are left over go innermost. (A product in place has register tiles:
// copied-inputs.c.) The same bit for bit at many sizes, in double and float, in arrays with longer rows, and at sizes at which
// it doesn't pay.
//
// REQUIRES: native-avx2
//
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=haswell -mllvm -tessera-print=ast -Rpass=tessera %s -c -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -DT=float -Rpass=tessera %s -c -o %t.o 2>&1 | grep 'outer loop in lanes' | %count 3
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN -DT=float %s %t.o -o %t && %t
//
// What was found, printed as commands and obeyed, gives the same code, here at all sizes.
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-print=commands %s -c -o %t.o 2> %t.found
// RUN: grep -c 'lane_panels()' %t.found | grep 3
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-commands=%t.found %s -c -o %t.again.o
// RUN: cmp %t.o %t.again.o
// RUN: grep -v where_it_pays %t.found > %t.always
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-commands=%t.always %s -c -o %t.o
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
//
// Where nothing is like that, it is said.
// RUN: echo 'right: lane_panels()' | sed 's/: /:\n  /' > %t.flat
// RUN: %not %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-commands=%t.flat -DFLAT %s -c -o %t.o 2>&1 | %FileCheck %s --check-prefix=FLAT
// FLAT: lane_panels: there are no outer loops in lanes that walk along the same again and again
//
// CHECK-LABEL: tessera: right.0
// CHECK:        // allocate [[B:A_[0-9]]]_buffer
// CHECK:        load_[[B]](c0, c1, c2);
// CHECK:        // lockstep {{[0-9]}}x4
// CHECK-NEXT:    for (int [[L:c[0-9]+]] = 0;
// CHECK-NEXT:    for (int [[J:c[0-9]+]] = 0;
// CHECK-NEXT:      for (int [[K:c[0-9]+]] = 0; [[K]] < [[J]];
// CHECK:        // vector
// CHECK:        store_[[B]](c0, c1, c2);
// CHECK: remark: loop nest transformed: {{.*}}1 outer loop in lanes of {{[0-9]}}x4
// CHECK-LABEL: tessera: left.0
// CHECK:        load_
// CHECK: remark: loop nest transformed: {{.*}}1 outer loop in lanes of {{[0-9]}}x4
// CHECK-LABEL: tessera: two.0
// CHECK:        load_
// CHECK:        load_
// CHECK: remark: loop nest transformed: {{.*}}1 outer loop in lanes of {{[0-9]}}x4
#ifndef T
#define T double
#endif
#ifdef FLAT
void right(long m, long n, long l, T b[restrict n][l], T a[restrict n][n])
{
  for (long j = 0; j < n; j++)
    for (long i = 0; i < m; i++)
      b[j][i] += a[j][0];
}
#elif !defined MAIN
// B := B inv(L): column j of the result needs all behind it, summed up from the next one on
void right(long m, long n, long l, T b[restrict n][l], T a[restrict n][n])
{
  for (long j = n - 1; j >= 0; j--) {
    for (long k = j + 1; k < n; k++)
      for (long i = 0; i < m; i++)
        b[j][i] -= a[j][k] * b[k][i];
    for (long i = 0; i < m; i++)
      b[j][i] *= a[j][j];
  }
}

// B := inv(L') B, where lanes are rows; with UNIT the last store has nothing left to do
void left(long m, long n, long l, T b[restrict n][l], T a[restrict m][m], long unit)
{
  for (long j = 0; j < n; j++)
    for (long i = m - 1; i >= 0; i--) {
      T t = (T)0.5 * b[j][i];
      for (long k = i + 1; k < m; k++)
        t -= a[i][k] * b[j][k];
      if (!unit)
        t = t / a[i][i];
      b[j][i] = t;
    }
}

// B := B U, in place: what is read is what was there before
void product(long m, long n, long l, T b[restrict n][l], T a[restrict n][n])
{
  for (long j = n - 1; j >= 0; j--) {
    for (long i = 0; i < m; i++)
      b[j][i] *= a[j][j];
    for (long k = 0; k < j; k++)
      for (long i = 0; i < m; i++)
        b[j][i] += a[j][k] * b[k][i];
  }
}

// Two arrays to walk along, one of which is not written
void two(long m, long n, long l, T b[restrict n][l], T a[restrict n][n], T z[restrict n][l])
{
  for (long j = n - 1; j >= 0; j--)
    for (long k = j + 1; k < n; k++)
      for (long i = 0; i < m; i++)
        b[j][i] -= a[j][k] * b[k][i] + a[k][j] * z[k][i];
}
#else
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void right(long m, long n, long l, T b[restrict n][l], T a[restrict n][n]);
void left(long m, long n, long l, T b[restrict n][l], T a[restrict m][m], long unit);
void product(long m, long n, long l, T b[restrict n][l], T a[restrict n][n]);
void two(long m, long n, long l, T b[restrict n][l], T a[restrict n][n], T z[restrict n][l]);

static void plain(int which, long m, long n, long l, T *b, const T *a, const T *z)
{
  for (long i = 0; i < (which == 1 || which == 2 ? n : m); i++)
    for (long j = (which == 1 || which == 2 ? m : n) - 1; j >= 0; j--) {
      volatile T sum; // no chain of these becomes vectors
      if (which == 1 || which == 2) {
        sum = (T)0.5 * b[i * l + j];
        for (long k = j + 1; k < m; k++)
          sum -= a[j * m + k] * b[i * l + k];
        b[i * l + j] = which == 1 ? sum / a[j * m + j] : sum;
      } else {
        sum = which == 3 ? b[j * l + i] * a[j * n + j] : b[j * l + i];
        for (long k = which == 3 ? 0 : j + 1; k < (which == 3 ? j : n); k++)
          sum = which == 3   ? sum + a[j * n + k] * b[k * l + i]
                : which == 0 ? sum - a[j * n + k] * b[k * l + i]
                             : sum - (a[j * n + k] * b[k * l + i] + a[k * n + j] * z[k * l + i]);
        b[j * l + i] = which == 0 ? sum * a[j * n + j] : sum;
      }
    }
}

static int differs(int which, long m, long n, long more)
{
  long l = m + more, order = which == 1 || which == 2 ? m : n;
  size_t bytes = (size_t)n * l * sizeof(T) + 8;
  T *b = malloc(bytes), *c = malloc(bytes), *z = malloc(bytes), *a = malloc((size_t)order * order * sizeof(T) + 8);
  for (long i = 0; i < n * l; i++) {
    b[i] = c[i] = (T)(i % 31) / 7 - 2;
    z[i] = (T)(i % 23) / 5 - 2;
  }
  for (long i = 0; i < order; i++)
    for (long k = 0; k < order; k++)
      a[i * order + k] = i == k ? (T)1.25 : (T)((i * 7 + k * 3) % 29) / 29 / order;
  if (which == 0)
    right(m, n, l, (void *)b, (void *)a);
  else if (which <= 2)
    left(m, n, l, (void *)b, (void *)a, which == 2);
  else if (which == 3)
    product(m, n, l, (void *)b, (void *)a);
  else
    two(m, n, l, (void *)b, (void *)a, (void *)z);
  plain(which, m, n, l, c, a, z);
  int wrong = memcmp(b, c, (size_t)n * l * sizeof(T)) != 0;
  free(a), free(b), free(c), free(z);
  if (wrong)
    printf("%d: %ld %ld + %ld\n", which, m, n, more);
  return wrong;
}

int main(void)
{
  static const long size[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 50, 64, 67, 101, 131};
  int wrong = 0, n_size = sizeof(size) / sizeof(*size);
  for (int which = 0; which < 5; which++)
    for (int m = 0; m < n_size; m++)
      for (int n = 0; n < n_size; n++)
        wrong += differs(which, size[m], size[n], which == 3 ? 0 : 3);
  return wrong != 0;
}
#endif
