// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The run-time condition holds sums of parameters, which wrap where these are large: then it is false, whatever becomes of the
// sums, since the range of each parameter is checked by itself, even where it follows from the rest.
//
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only \
// RUN:   -Rpass=tessera -Rpass-missed=tessera -Rpass-analysis=tessera %s -o %t 2>&1 | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -mllvm -tessera-position=late %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK-COUNT-3: loop nest transformed
#include <limits.h>
#include <stdio.h>

#define TEST __attribute__((noinline))

/* end <= 7 - width is true of a wrapped sum; that end is no more than 2^31 - 1 follows from it. */
TEST void test_sum(long p, long n, long end, long width, double *a, double (*c)[n][width])
{
  for (long i = 1; i < p; i++)
    for (long j = end - 3; j < end; j++) {
      if (j < 4)
        a[j - end + 5] = a[j - end + 4] + c[j - end + 3][i + 1][j - end + 4];
      a[i + 1] = 1;
    }
}

/* Rows don't overlap where last < ld, which is last + 1 <= ld. */
TEST void test_rows(long n, long last, long ld, double *a)
{
  for (long j = 0; j < 8; j++)
    for (long i = 0; i < n; i++)
      if (j <= last)
        a[i * ld + j] = a[i * ld + j] * 0.5 + (double)(i * 8 + j);
}

/* first - 1 >= -ld */
TEST void test_down(long n, long first, long ld, double *a)
{
  for (long j = 0; j < 8; j++)
    for (long i = 0; i < n; i++)
      if (-j >= first)
        a[i * ld + j] = a[i * ld + j] * 0.5 + (double)(i * 8 + j);
}

static double a[4096];

static void report(const char *name, long last)
{
  double sum = 0;
  for (int i = 0; i < 4096; i++) {
    sum += a[i] * (i % 61 + 1);
    a[i] = i % 17;
  }
  printf("%s %ld %.17g\n", name, last, sum);
}

int main(void)
{
  static const long ends[] = {LONG_MIN, LONG_MIN + 1, LONG_MIN + 2, LONG_MIN + 8, -9, -1, 0, 1, 2, 6, 7, 9, LONG_MAX - 8, LONG_MAX - 2, LONG_MAX - 1, LONG_MAX};
  for (int i = 0; i < 16; i++) {
    long end = ends[i];
    report("-", end);
    if (end >= LONG_MIN + 8)
      test_sum(2, 9, end, 4, a, (void *)(a + 2000));
    report("sum", end);
    for (long ld = 1; ld < 10; ld += 2) {
      test_rows(33, end, ld, a);
      report("rows", end);
      test_down(33, end, ld, a);
      report("down", end);
    }
  }
}
