// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value that goes around the nest when the nest doesn't run arrives behind it, also where other ways lead to that place.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only -Rpass=tessera \
// RUN:   %s -o %t 2>&1 | %FileCheck %s
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK: loop nest transformed

#include <stdio.h>

__attribute__((noinline)) void test_same(long n, int a[][40], const int *b, const int *c, long *out)
{
  long s = 1;
  if (n > 0) {
    s = b[n];
    if (n > 2)
      for (long i = 0; i < n - 2; i++)
        for (long j = 0; j < n; j++)
          a[i][j] += c[j];
  }
  *out = s;
}

__attribute__((noinline)) void test_other(long n, int a[][40], const int *b, const int *c, long *out)
{
  long s = 1;
  if (n > 0) {
    s = b[n];
    if (n > 2)
      for (long i = 0; i < n - 2; i++) {
        s = b[i] + 3;
        for (long j = 0; j < n; j++)
          a[i][j] += c[j];
      }
  }
  *out = s;
}

static int a[40][40], b[50], c[50];

int main(void)
{
  for (int i = 0; i < 50; i++) {
    b[i] = i * 7;
    c[i] = i % 11;
  }
  for (long n = -1; n < 40; n += n < 5 ? 1 : 11) {
    long s, t;
    test_same(n, a, b, c, &s);
    test_other(n, a, b, c, &t);
    printf("%ld %ld %d\n", s, t, a[2][3]);
  }
}
