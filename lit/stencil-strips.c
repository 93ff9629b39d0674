// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Time steps of stencils run in strips, one row after the other, with whole rows innermost as in the original: by default
// where the arrays exceed the cache, which is decided at run time, else where it is forced. Results stay the same at all
// sizes.
//
// RUN: %clang -O3 -fno-vectorize -gline-tables-only -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera \
// RUN:   -mllvm -tessera-only='plane|space|field|small' -mllvm -tessera-print=ast -S -emit-llvm -o %t.ll %s 2> %t.err
// RUN: %FileCheck %s < %t.err
// RUN: %FileCheck %s --check-prefix=IR < %t.ll
// RUN: %FileCheck %s --check-prefix=OWN < %t.ll
// OWN: call {{.*}}void @plane.tsr.large(
// OWN: define internal {{.*}}void @plane.tsr.large({{.*}} [[ATTRS:#[0-9]+]]
// OWN: attributes [[ATTRS]] = { {{.*}}noinline
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected && %t.plain 1 > %t.expected-large
// RUN: %clang -O3 -fpass-plugin=%plugin %s -o %t.default && %t.default 1 | diff %t.expected-large -
// RUN: %t.default | diff %t.expected -
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-print=ast %s -o %t.forced 2> %t.ast
// RUN: %FileCheck %s --check-prefix=FORCED < %t.ast
// RUN: %t.forced | diff %t.expected -
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t.late && %t.late | diff %t.expected -
//
// CHECK: tessera: plane
// CHECK: // strips
// CHECK-NEXT: for (int [[TT:c[0-9]+]] = 0; [[TT]] <= floord(
// CHECK-NEXT: for (int [[I:c[0-9]+]] =
// CHECK-NEXT: for (int [[T:c[0-9]+]] =
// CHECK-NEXT: if (
// CHECK-NEXT: // vector
// CHECK-NEXT: for (int [[J:c[0-9]+]] = 0; [[J]] < {{[a-z0-9_]+}} - 2; [[J]] += 1)
// CHECK-NEXT: S0(8 * [[TT]] + [[T]], -16 * [[TT]] + [[I]] - 2 * [[T]], [[J]])
// CHECK: // vector
// CHECK-NEXT: for (int [[J]] = 0; [[J]] < {{[a-z0-9_]+}} - 2; [[J]] += 1)
// CHECK-NEXT: S1(8 * [[TT]] + [[T]], -16 * [[TT]] + [[I]] - 2 * [[T]] - 1, [[J]])
// CHECK: stencil-strips.c:[[#@LINE+38]]:3: remark: loop nest transformed: {{.*}}2 loops marked independent
// CHECK: stencil-strips.c:{{.*}}: remark: loop nest left as it is: the estimated cost is not lower; stage: profit; estimated cost {{[0-9.e+]+}} as it is, {{[0-9.e+]+}} at best
//
// The sizes below which the original runs.
// IR-LABEL: define {{.*}}@plane(
// IR-DAG: icmp sgt i32 %{{.*}}, 3
// IR-DAG: icmp {{(samesign ugt|sgt)}} i32 %{{.*}}, 18{{[0-9]}}

// FORCED: tessera: plane
// FORCED: // strips
// FORCED: tessera: space
// FORCED: // strips
// FORCED: tessera: field
// FORCED: // strips
// FORCED: tessera: backward
// FORCED: // strips
// FORCED: tessera: in_place
// FORCED: // interleave 8

#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))

static unsigned long hash(const double *x, long n)
{
  unsigned long sum = 0;
  for (long i = 0; i < n; i++) {
    union {
      double d;
      unsigned long u;
    } bits = {x[i]};
    sum = (sum ^ bits.u) * 1099511628211u;
  }
  return sum;
}

NOINLINE void plane(int steps, int n, double a[n][n], double b[n][n])
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = 0.2 * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]);
  }
}

NOINLINE void space(int steps, int n, double a[n][n][n], double b[n][n][n])
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          b[i][j][k] = 0.1 * (a[i + 1][j][k] + a[i - 1][j][k] + a[i][j + 1][k] + a[i][j - 1][k] + a[i][j][k + 1]) + a[i][j][k - 1];
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          a[i][j][k] = 0.1 * (b[i + 1][j][k] + b[i - 1][j][k] + b[i][j + 1][k] + b[i][j - 1][k] + b[i][j][k + 1]) + b[i][j][k - 1];
  }
}

NOINLINE void field(int steps, int n, int m, double x[n][m], double y[n][m], double z[n][m], double s[steps])
{
  for (int t = 0; t < steps; t++) {
    for (int j = 0; j < m; j++)
      y[0][j] = s[t];
    for (int i = 1; i < n; i++)
      for (int j = 0; j < m; j++)
        y[i][j] = y[i][j] - 0.5 * (z[i][j] - z[i - 1][j]);
    for (int i = 0; i < n; i++)
      for (int j = 1; j < m; j++)
        x[i][j] = x[i][j] - 0.5 * (z[i][j] - z[i][j - 1]);
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < m - 1; j++)
        z[i][j] = z[i][j] - 0.7 * (x[i][j + 1] - x[i][j] + y[i + 1][j] - y[i][j]);
  }
}

/* Rows from the last to the first. */
NOINLINE void backward(int steps, int n, double a[n][n], double b[n][n])
{
  for (int t = 0; t < steps; t++) {
    for (int i = n - 2; i > 0; i--)
      for (int j = 1; j < n - 1; j++)
        b[i][j] = 0.5 * (a[i][j] + a[i + 1][j]);
    for (int i = n - 2; i > 0; i--)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = 0.5 * (b[i][j] + b[i - 1][j + 1]);
  }
}

NOINLINE void in_place(int steps, int n, double a[n][n])
{
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]);
}

static double p[50][50], q[50][50];

NOINLINE void small(int steps)
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < 49; i++)
      for (int j = 1; j < 49; j++)
        q[i][j] = 0.2 * (p[i][j] + p[i][j - 1] + p[i][j + 1] + p[i + 1][j] + p[i - 1][j]);
    for (int i = 1; i < 49; i++)
      for (int j = 1; j < 49; j++)
        p[i][j] = 0.2 * (q[i][j] + q[i][j - 1] + q[i][j + 1] + q[i + 1][j] + q[i - 1][j]);
  }
}

static double *data(long n, int seed)
{
  double *x = malloc((n + 1) * sizeof(*x));
  for (long i = 0; i < n; i++)
    x[i] = (i * 7 + i / 13 + seed) % 101 * 0.25;
  return x;
}

static void run(int steps, int n, int m)
{
  double *a = data((long)n * n, 1), *b = data((long)n * n, 2), *s = data(steps, 3);
  plane(steps, n, (double(*)[n])a, (double(*)[n])b);
  printf("%d %d plane %lx %lx\n", steps, n, hash(a, (long)n * n), hash(b, (long)n * n));
  backward(steps, n, (double(*)[n])a, (double(*)[n])b);
  in_place(steps, n, (double(*)[n])a);
  printf("%d %d others %lx %lx\n", steps, n, hash(a, (long)n * n), hash(b, (long)n * n));
  double *x = data((long)n * m, 4), *y = data((long)n * m, 5), *z = data((long)n * m, 6);
  field(steps, n, m, (double(*)[m])x, (double(*)[m])y, (double(*)[m])z, s);
  printf("%d %d field %lx %lx %lx\n", steps, n, hash(x, (long)n * m), hash(y, (long)n * m), hash(z, (long)n * m));
  free(a);
  free(b);
  free(s);
  free(x);
  free(y);
  free(z);
}

static void run_space(int steps, int n)
{
  long size = (long)n * n * n;
  double *a = data(size, 1), *b = data(size, 2);
  space(steps, n, (double(*)[n][n])a, (double(*)[n][n])b);
  printf("%d %d space %lx %lx\n", steps, n, hash(a, size), hash(b, size));
  free(a);
  free(b);
}

int main(int argc, char **argv)
{
  static const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 37}, steps[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 17};
  (void)argv;
  if (argc > 1) {
    for (int n = 180; n < 190; n += 3)
      run(n % 5 + 2, n, n + 1);
    run(19, 331, 257);
    run_space(5, 47);
    run_space(9, 32);
    return 0;
  }
  for (unsigned k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
    for (unsigned t = 0; t < sizeof(steps) / sizeof(*steps); t++) {
      run(steps[t], sizes[k], sizes[k] + 2 - (int)t % 5 > 0 ? sizes[k] + 2 - (int)t % 5 : 0);
      run_space(steps[t], sizes[k]);
    }
  small(11);
  printf("%lx %lx\n", hash(&p[0][0], 2500), hash(&q[0][0], 2500));
}
