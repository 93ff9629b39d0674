// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds over elements that the nest itself writes, as in dynamic programming: updates of one element by one exact operator
// (of integers) run in another order, those of several statements, too, but all of them before the element is read. What
// they add loses nsw. Other operators on the same element, and floating-point numbers, keep their order.
//
// RUN: %clang -O3 -gline-tables-only -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera \
// RUN:   -mllvm -tessera-only='pairs|chain|ways|mixed|unlike|real' -mllvm -tessera-print=ast -c -o /dev/null %s 2>&1 | %FileCheck %s
// RUN: %source-ir %s | %tessera-opt -passes='tessera<only=ways>,verify' | %FileCheck %s --check-prefix=NSW
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin %s -o %t.default && %t.default | diff %t.expected -
// RUN: %clang -O2 -march=x86-64-v2 -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t.v2 && %t.v2 | diff %t.expected -
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t.late && %t.late | diff %t.expected -

// CHECK: tessera: pairs
// CHECK: for (int [[I:c[0-9]+]] = 1;
// CHECK-NEXT: for (int [[K:c[0-9]+]] = 0; [[K]] < [[I]]; [[K]] += 1) {
// CHECK-NEXT: S0([[I]], [[K]]);
// CHECK-NEXT: S1([[I]], [[K]]);
// CHECK: // vector
// CHECK-NEXT: for (int [[J:c[0-9]+]] = [[K]] + 1; [[J]] < [[I]]; [[J]] += 1)
// CHECK-NEXT: S{{[0-9]}}([[I]], [[J]], [[K]]);
// CHECK: values-exact-folds.c:[[#@LINE+29]]:3: remark: loop nest transformed
// CHECK: tessera: chain
// CHECK: // vector
// CHECK: remark: loop nest transformed
// CHECK: tessera: ways
// CHECK: // vector
// CHECK: remark: loop nest transformed
// CHECK: remark: loop nest left as it is
// CHECK: remark: loop nest left as it is
// CHECK: remark: loop nest left as it is

// NSW-LABEL: define {{.*}}void @ways
// NSW: tsr.loop:
// NSW-NOT: add nsw i32
// NSW: add i32
// NSW: store i32
// NSW-NOT: add nsw i32
// NSW: add i32
// NSW: store i32

#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))
#define MAX(a, b) ((a) >= (b) ? (a) : (b))
#define MIN(a, b) ((a) <= (b) ? (a) : (b))

/* Base pairs of a folded sequence. */
NOINLINE void pairs(int n, const char *restrict seq, int table[restrict n][n])
{
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      if (j - 1 >= 0)
        table[i][j] = MAX(table[i][j], table[i][j - 1]);
      if (i + 1 < n)
        table[i][j] = MAX(table[i][j], table[i + 1][j]);
      if (i + 1 < n && i < j - 1)
        table[i][j] = MAX(table[i][j], table[i + 1][j - 1] + (seq[i] + seq[j] == 3));
      for (int k = i + 1; k < j; k++)
        table[i][j] = MAX(table[i][j], table[i][k] + table[k + 1][j]);
    }
}

/* The cheapest way to cut a chain. */
NOINLINE void chain(int n, const unsigned *restrict weight, unsigned cost[restrict n][n])
{
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++)
      for (int k = i; k < j; k++)
        cost[i][j] = MIN(cost[i][j], cost[i][k] + cost[k + 1][j] + weight[k]);
}

/* In how many ways? A sum of products, two terms of which come first. */
NOINLINE void ways(int n, int count[restrict n][n])
{
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      count[i][j] += count[i][j - 1];
      for (int k = i + 1; k < j; k++)
        count[i][j] += count[i][k] * count[k][j];
    }
}

/* Minima and maxima don't commute. */
NOINLINE void mixed(int n, int table[restrict n][n])
{
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      if (j - 1 >= 0)
        table[i][j] = MIN(table[i][j], table[i][j - 1] + 5);
      for (int k = i + 1; k < j; k++)
        table[i][j] = MAX(table[i][j], table[i][k] + table[k][j]);
      if (i + 1 < n)
        table[i][j] = MIN(table[i][j], table[i + 1][j] + 9);
    }
}

/* Nor do maxima of signed and of unsigned numbers. */
NOINLINE void unlike(int n, int table[restrict n][n])
{
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      if (j - 1 >= 0)
        table[i][j] = (int)MAX((unsigned)table[i][j], (unsigned)table[i][j - 1] / 2);
      for (int k = i + 1; k < j; k++)
        table[i][j] = MAX(table[i][j], (int)((unsigned)table[i][k] + (unsigned)table[k][j] - 9));
      if (i + 1 < n)
        table[i][j] = (int)MAX((unsigned)table[i][j], (unsigned)table[i + 1][j] / 2);
    }
}

/* Sums of floating-point numbers are added up in their order. */
NOINLINE void real(int n, float table[restrict n][n])
{
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      for (int k = i + 1; k < j; k++)
        table[i][j] += table[i][k] * table[k][j];
      table[i][j] += table[i][j - 1];
    }
}

static unsigned long hash(const void *data, long bytes)
{
  const unsigned char *x = data;
  unsigned long sum = 0;
  for (long i = 0; i < bytes; i++)
    sum = (sum ^ x[i]) * 1099511628211u;
  return sum;
}

static void fill(int *x, long n, int from, int to)
{
  for (long i = 0; i < n; i++)
    x[i] = (int)(i * 7 + i / 13) % (to - from) + from;
}

int main(void)
{
  static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 97};
  for (unsigned s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
    int n = sizes[s];
    long size = (long)n * n, bytes = size * (long)sizeof(int);
    int *x = malloc(bytes + 1);
    char seq[100];
    unsigned weight[100];
    for (int i = 0; i < 100; i++) {
      seq[i] = (char)(i * 7 % 4);
      weight[i] = i * 11 % 17;
    }
    fill(x, size, 0, 3);
    pairs(n, seq, (int(*)[n])x);
    printf("%d: %lx", n, hash(x, bytes));
    fill(x, size, 1, 99);
    chain(n, weight, (unsigned(*)[n])x);
    printf(" %lx", hash(x, bytes));
    fill(x, size, 0, 2);
    for (long i = 0; i < size; i++)
      x[i] *= i % 5 == 0;
    if (n < 20) /* more would overflow */
      ways(n, (int(*)[n])x);
    printf(" %lx", hash(x, bytes));
    fill(x, size, -9, 3);
    mixed(n, (int(*)[n])x);
    printf(" %lx", hash(x, bytes));
    fill(x, size, -9, 3);
    unlike(n, (int(*)[n])x);
    printf(" %lx", hash(x, bytes));
    float *f = malloc(bytes + 1);
    for (long i = 0; i < size; i++)
      f[i] = (float)(i % 11) / 64;
    real(n, (float(*)[n])f);
    printf(" %lx\n", hash(f, bytes));
    free(x);
    free(f);
  }
}
