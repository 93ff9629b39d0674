// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of a number that are written behind all that is read. Where another number of the same array is read, they are
// statements of their own (rows, of other rows); where it may be the one that is written, they aren't (mirror, on the
// diagonal; scale). The same bit for bit.
//
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -g -Rpass-analysis=tessera %s -c -o %t.o 2>&1 | grep modelled | %FileCheck %s
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -mllvm -tessera-tile-sizes=3,5 %s -c -o %t.o
// RUN: %clang -O2 -ffp-contract=off -DMAIN %s %t.o -lgomp -o %t && %t
//
// REQUIRES: native-avx2
//
// CHECK: remark: loop nest modelled: 2 statements, depth 3
// CHECK: remark: loop nest modelled: 1 statements, depth 2
// CHECK: remark: loop nest modelled: 1 statements, depth 2
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MAIN
#define F(NAME) NAME##_plain
#else
#define F(NAME) NAME
#endif

typedef struct {
  double re, im;
} number;

void F(rows)(number *a, int n, int ld, double re, double im)
{
  for (int j = 1; j < n; j++)
    for (int k = 0; k < j; k++)
      for (int i = 0; i < n; i++) {
        number x = a[k * ld + i], y = a[j * ld + i];
        y.re += re * x.re - im * x.im;
        y.im += re * x.im + im * x.re;
        a[j * ld + i] = y;
      }
}

void F(mirror)(number *a, int n, int ld)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      number x = a[i * ld + j];
      number y = {x.re * .5 - x.im * .25, x.im * .5 + x.re * .25};
      a[j * ld + i] = y;
    }
}

void F(scale)(number *a, int n, int ld, double re, double im)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      number x = a[j * ld + i];
      number y = {x.re * re - x.im * im, x.im * re + x.re * im};
      a[j * ld + i] = y;
    }
}

#ifdef MAIN
void rows(number *a, int n, int ld, double re, double im);
void mirror(number *a, int n, int ld);
void scale(number *a, int n, int ld, double re, double im);

int main(void)
{
  static number a[2][2500];
  int wrong = 0;
  for (int n = 0; n < 48; n++)
    for (int which = 0; which < 3; which++) {
      for (int i = 0; i < 2500; i++)
        a[0][i] = a[1][i] = (number){i * 7919 % 1000 / 7., i * 31 % 100 / 3.};
      for (int k = 0; k < 2; k++) {
        if (which == 0)
          (k ? rows_plain : rows)(a[k], n, n + n % 3, .01, .003);
        if (which == 1)
          (k ? mirror_plain : mirror)(a[k], n, n + n % 3);
        if (which == 2)
          (k ? scale_plain : scale)(a[k], n, n + n % 3, .5, .25);
      }
      wrong += memcmp(a[0], a[1], sizeof(a[0])) != 0;
    }
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
#endif
