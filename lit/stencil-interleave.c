// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gauss-Seidel forms: eight time steps (or rows, of one sweep) run at once, each a chain of its own, where a chain waits long
// enough for itself. Short loops are left to the original, which is decided at run time. Results stay the same at all sizes.
//
// RUN: %clang -O3 -gline-tables-only -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera \
// RUN:   -mllvm -tessera-only='nine|line|five|space|relaxed|sweep|whole|cheap|many' -mllvm -tessera-print=ast -S -emit-llvm -o %t.ll %s 2> %t.err
// RUN: %FileCheck %s < %t.err
// RUN: %FileCheck %s --check-prefix=IR < %t.ll
// RUN: %clang -O1 %s -o %t.plain -lm && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin %s -o %t.default -lm && %t.default | diff %t.expected -
// RUN: %clang -O3 -march=x86-64-v2 -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t.v2 -lm && %t.v2 | diff %t.expected -
// RUN: %clang -O2 -ffp-contract=off -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-print=ast -c %s -o %t.o 2> %t.ast
// RUN: %FileCheck %s --check-prefix=FORCED < %t.ast
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t.late -lm && %t.late | diff %t.expected -
//
// CHECK: tessera: nine
// CHECK: for (int [[T:c[0-9]+]] = 0; [[T]] < floord({{[a-z0-9_]+}}, 8); [[T]] += 1) {
// CHECK: for (int [[R:c[0-9]+]] = 8 * [[T]] + 7; [[R]] < {{[a-z0-9_]+}} + 8 * [[T]] - 2; [[R]] += 1) {
// CHECK: // chain
// CHECK: for (int [[C:c[0-9]+]] = 16 * [[T]] + [[R]] + 14;
// CHECK-NEXT: // interleave 8
// CHECK-NEXT: {
// CHECK-NEXT: S0(8 * [[T]], -8 * [[T]] + [[R]], -16 * [[T]] - [[R]] + [[C]]);
// CHECK-NEXT: S0(8 * [[T]] + 1, -8 * [[T]] + [[R]] - 1, -16 * [[T]] - [[R]] + [[C]] - 2);
// CHECK: // interleave 4
// CHECK: stencil-interleave.c:[[#@LINE+36]]:3: remark: loop nest transformed
// CHECK: tessera: line
// CHECK: // interleave 8
// CHECK: tessera: five
// CHECK: // interleave 8
// CHECK: tessera: space
// CHECK: // interleave 8
// CHECK: tessera: relaxed
// CHECK: // interleave 8
// CHECK: tessera: sweep
// CHECK: // interleave 8
// CHECK: tessera: whole
// CHECK: // interleave 8
// CHECK: tessera: cheap
// CHECK: // interleave 8
// CHECK: tessera: many
// CHECK-NOT: // interleave 8
// CHECK: // interleave 4
//
// The sizes below which the original runs; chains beside the others aren't unrolled.
// IR-LABEL: define {{.*}}@nine(
// IR-DAG: icmp sgt i32 %{{.*}}, 7
// IR-DAG: icmp sgt i32 %{{.*}}, 33
// IR: !"llvm.loop.unroll.disable"
//
// FORCED: tessera: nine
// FORCED: // interleave 8
// FORCED: tessera: cheap
// FORCED: // interleave 8

#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))

NOINLINE void nine(int steps, int n, double a[n][n])
{
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j - 1] +
                   a[i + 1][j] + a[i + 1][j + 1]) / 9.0;
}

NOINLINE void line(int steps, int n, float *restrict a)
{
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
}

NOINLINE void five(int steps, int n, int m, double a[n][m])
{
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        a[i][j] = 0.2 * (a[i][j - 1] + a[i - 1][j] + a[i][j] + a[i + 1][j] + a[i][j + 1]);
}

NOINLINE void space(int steps, int n, double a[n][n][n])
{
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          a[i][j][k] = (a[i][j][k - 1] + a[i][j - 1][k] + a[i - 1][j][k] + a[i][j][k] + a[i + 1][j][k] + a[i][j + 1][k] + a[i][j][k + 1]) / 7;
}

/* Successive over-relaxation with coefficients. */
NOINLINE void relaxed(int steps, int n, double w, double u[restrict n][n], double a[restrict n][n], double b[restrict n][n], double f[restrict n][n])
{
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i][j] = (1 - w) * u[i][j] + w * (f[i][j] - a[i][j] * (u[i][j - 1] + u[i][j + 1]) - b[i][j] * (u[i - 1][j] + u[i + 1][j])) / f[i][j];
}

/* Once, without a loop over time. */
NOINLINE void sweep(int n, int m, double a[n][m])
{
  for (int i = 1; i < n; i++)
    for (int j = 1; j < m - 1; j++)
      a[i][j] = (a[i][j - 1] + a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1]) / 3.0;
}

NOINLINE void whole(int steps, int n, unsigned a[n][n])
{
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = (((a[i][j - 1] * 5 + a[i - 1][j]) * 7 + a[i][j]) * 3 + a[i + 1][j]) * 11 + a[i][j + 1];
}

/* A short chain: what is waited for is memory, as soon as it is large; in a cache it is 1.3 to 1.7 times as fast (Zen 5). */
NOINLINE void cheap(int steps, int n, double a[n][n])
{
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = 0.5 * (a[i + 1][j] + a[i][j + 1] + a[i - 1][j]) + a[i][j - 1];
}

/* Five arrays: fewer chains. */
NOINLINE void many(int steps, int n, double u[restrict n][n], double a[restrict n][n], double b[restrict n][n], double c[restrict n][n], double d[restrict n][n])
{
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i][j] = (a[i][j] * u[i][j - 1] + b[i][j] * u[i - 1][j] + c[i][j] * u[i][j + 1] + u[i + 1][j]) / d[i][j];
}

static unsigned long hash(const void *data, long bytes)
{
  const unsigned char *x = data;
  unsigned long sum = 0;
  for (long i = 0; i < bytes; i++)
    sum = (sum ^ x[i]) * 1099511628211u;
  return sum;
}

static double *data(long n, int seed)
{
  double *x = malloc((n + 1) * sizeof(*x));
  for (long i = 0; i < n; i++)
    x[i] = (i * 7 + i / 13 + seed) % 101 * 0.25 + 1;
  return x;
}

static void run(int steps, int n, int m)
{
  long size = (long)n * n;
  double *a = data(size, 1), *b = data(size, 2), *c = data(size, 3), *d = data(size, 4), *e = data((long)n * m, 5);
  nine(steps, n, (double(*)[n])a);
  printf("%d %d %d: %lx", steps, n, m, hash(a, size * sizeof(*a)));
  cheap(steps, n, (double(*)[n])a);
  printf(" %lx", hash(a, size * sizeof(*a)));
  relaxed(steps, n, 1.25, (double(*)[n])a, (double(*)[n])b, (double(*)[n])c, (double(*)[n])d);
  printf(" %lx", hash(a, size * sizeof(*a)));
  double *g = data(size, 9);
  many(steps, n, (double(*)[n])a, (double(*)[n])b, (double(*)[n])c, (double(*)[n])d, (double(*)[n])g);
  free(g);
  printf(" %lx", hash(a, size * sizeof(*a)));
  five(steps, n, m, (double(*)[m])e);
  printf(" %lx", hash(e, (long)n * m * sizeof(*e)));
  sweep(n, m, (double(*)[m])e);
  printf(" %lx", hash(e, (long)n * m * sizeof(*e)));
  float *f = malloc((n + 1) * sizeof(*f));
  for (int i = 0; i < n; i++)
    f[i] = i * 37 % 101;
  line(steps, n, f);
  printf(" %lx", hash(f, n * (long)sizeof(*f)));
  unsigned *u = malloc((size + 1) * sizeof(*u));
  for (long i = 0; i < size; i++)
    u[i] = i * 37 % 101;
  whole(steps, n, (unsigned(*)[n])u);
  printf(" %lx\n", hash(u, size * (long)sizeof(*u)));
  free(a);
  free(b);
  free(c);
  free(d);
  free(e);
  free(f);
  free(u);
}

int main(void)
{
  static const int sizes[] = {0, 1, 2, 3, 4, 7, 8, 9, 16, 17, 18, 19, 31, 33, 34, 35, 47}, steps[] = {0, 1, 2, 3, 4, 7, 8, 9, 11, 13, 16, 21, 33};
  for (unsigned k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
    for (unsigned t = 0; t < sizeof(steps) / sizeof(*steps); t++) {
      int n = sizes[k], m = n + 2 - (int)t % 5;
      run(steps[t], n, m > 0 ? m : 0);
      double *x = data((long)n * n * n, 6);
      space(steps[t], n, (double(*)[n][n])x);
      printf("space %lx\n", hash(x, (long)n * n * n * sizeof(*x)));
      free(x);
    }
  run(67, 97, 61);
}
