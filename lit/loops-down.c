// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that run down, by one or more, with trip counts as Fortran computes them: a division by the step.
//
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ \
// RUN:   -gline-tables-only -Rpass=tessera -Rpass-missed=tessera %s -o %t 2>&1 \
// RUN:   | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK-COUNT-2: loop nest transformed

#include <stdio.h>

#define TEST __attribute__((noinline))
#define LD 50

TEST void test_by_one(const int *m, const int *n, const double *restrict a, double *restrict b)
{
  for (int j = 1; j <= *n; j++) {
    int k = *m;
    for (long trips = (0 - (long)*m) / -1; trips > 0; trips--, k--)
      for (int i = 1; i <= k - 1; i++)
        b[i + j * LD] -= b[k + j * LD] * a[i + k * LD];
  }
}

TEST void test_by_three(const int *m, const int *n, const double *restrict a, double *restrict b)
{
  for (int j = 1; j <= *n; j++) {
    int k = *m;
    for (long trips = (1 - (long)*m - 3) / -3; trips > 0; trips--, k -= 3)
      for (int i = 1; i <= *n; i++)
        b[i + j * LD] += a[i + k * LD] * 0.5;
  }
}

static double a[LD * LD], b[LD * LD];

static void show(const char *what)
{
  double sum = 0;
  for (int i = 0; i < LD * LD; i++) {
    sum = sum * 0.75 + b[i];
    b[i] = i % 13 * 0.125 - 0.5;
  }
  printf("%s %a\n", what, sum);
}

int main(void)
{
  for (int i = 0; i < LD * LD; i++)
    a[i] = i % 23 * 0.0625;
  show("none");
  for (int m = -2; m < LD; m += 1)
    for (int n = 0; n < LD; n += 7) {
      test_by_one(&m, &n, a, b), show("one");
      test_by_three(&m, &n, a, b), show("three");
    }
}
