// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose counters are pointers that are compared with another: their trip counts are computed in front of the nest,
// whatever the addresses are, also where there is nothing between the two.
//
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only \
// RUN:   -Rpass=tessera -Rpass-missed=tessera %s -o %t 2>&1 | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only \
// RUN:   -mllvm -tessera-position=late -Rpass=tessera -Rpass-missed=tessera %s -o %t 2>&1 \
// RUN:   | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK-COUNT-4: loop nest transformed

#include <stdint.h>
#include <stdio.h>

#define N 40
#define TEST __attribute__((noinline))

TEST void test_counted(double *a, double *b, int n)
{
  for (double *p = a; p < a + n; p++)
    for (double *q = b; q < b + n; q++)
      *p += *q;
}

TEST void test_ends(double *a, double *end, double *b, double *b_end)
{
  for (double *p = a; p < end; p++)
    for (double *q = b; q < b_end; q++)
      *p += *q * 2;
}

// May be endless, where an array ends with memory: left as it is.
TEST void kept_inclusive(double *a, double *last, double *b, double *b_last)
{
  for (double *p = a; p <= last; p += 2)
    for (double *q = b; q <= b_last; q += 3)
      *p -= *q;
}

TEST void test_rows(double *a, double *end, int n, double *b)
{
  for (double *row = a; row < end; row += N)
    for (int j = 0; j < n; j++)
      row[j] += b[j * N];
}

// Walks along both, each with a step of its own.
TEST void test_walks(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++) {
    double *p = a + i * n, *q = b + i;
    for (int j = 0; j < n; j++, q += n)
      *p++ += *q;
  }
}

static double a[N * N], b[N * N];

static void show(const char *what)
{
  double sum = 0;
  for (int i = 0; i < N * N; i++)
    sum = sum * 0.75 + a[i];
  printf("%s %a\n", what, sum);
}

int main(void)
{
  for (int i = 0; i < N * N; i++)
    a[i] = i % 17, b[i] = i % 23 - 11;
  for (int n = -2; n < N; n += 7) {
    test_counted(a, b, n), show("counted");
    test_ends(a, a + n, b, b + N), show("ends");
    test_ends(a, a + N, b, b + n), show("ends");
    kept_inclusive(a, a + n, b, b + n + 3), show("inclusive");
    test_rows(a, a + n * N, N - n, b), show("rows");
    test_walks(a, b, n), show("walks");
  }
  test_ends(a + 5, a, b, b + 7), show("nothing");
  test_ends(a, a + 7, b + 3, b + 3), show("nothing");
  test_ends(a, (double *)((char *)a + 20), b, (double *)((char *)b + 33)), show("odd"); // three and five elements
  test_ends(a, a + 30, a + 10, a + 20), show("one array");
  test_ends((double *)(uintptr_t)-8, (double *)8, b, b + 4), show("around the end of memory");
}
