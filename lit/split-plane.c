// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An innermost loop of which one iteration writes what the others read is split there, and what is left on both sides is
// vectorised without run-time checks; the results stay the same at all sizes and places of that iteration.
//
// DEFINE: %{tessera} = %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force
// RUN: %clang -O3 -mavx2 -gline-tables-only -fpass-plugin=%plugin -Rpass='tessera|loop-vectorize' \
// RUN:   -mllvm -tessera-only='^shortest$' -mllvm -tessera-print=ast -fno-discard-value-names -S -emit-llvm -o %t.ll %s 2> %t.err
// RUN: %FileCheck %s --check-prefix=AST < %t.err
// RUN: %FileCheck %s < %t.err
// RUN: %FileCheck %s --check-prefix=IR < %t.ll
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin %s -o %t.default && %t.default | diff %t.expected -
// RUN: %{tessera} -mllvm -tessera-print=ast %s -o %t.forced 2> %t.ast && %t.forced | diff %t.expected -
// RUN: %FileCheck %s --check-prefix=FORCED < %t.ast
// RUN: %{tessera} -mllvm -tessera-tile-sizes=5 %s -o %t.tiled && %t.tiled | diff %t.expected -
// RUN: %{tessera} -mllvm -tessera-position=late %s -o %t.late && %t.late | diff %t.expected -
//
// AST: // vector
// AST-NEXT: for (int [[J:c[0-9]+]] = 0; [[J]] < [[K:c[0-9]+]]; [[J]] += 1)
// AST-NEXT: S0([[K]], [[I:c[0-9]+]], [[J]])
// AST-NEXT: S0([[K]], [[I]], [[K]])
// AST-NEXT: // vector
// AST-NEXT: for (int [[J]] = [[K]] + 1;
// AST-NEXT: S0([[K]], [[I]], [[J]])
//
// CHECK: split-plane.c:[[#@LINE+31]]:3: remark: loop nest transformed: {{.*}}2 loops marked independent
// CHECK-COUNT-2: remark: vectorized loop
//
// IR-LABEL: define internal {{.*}}@shortest.tsr.large(
// IR-NOT: vector.memcheck
// IR: {{^}}vector.body{{[.0-9]*}}:
// IR-NOT: vector.memcheck
// IR: {{^}}vector.body{{[.0-9]+}}:
// IR-NOT: vector.memcheck

// FORCED-LABEL: tessera: shortest
// FORCED-COUNT-2: // vector
// FORCED-LABEL: tessera: last
// FORCED-COUNT-1: // vector
// FORCED-LABEL: tessera: scale
// FORCED-COUNT-1: // vector
// FORCED-LABEL: tessera: eliminate
// FORCED-COUNT-2: // vector
// FORCED-LABEL: tessera: pivot
// FORCED-COUNT-2: // vector
// FORCED-LABEL: tessera: two
// FORCED-COUNT-2: // vector
// FORCED-LABEL: tessera: chain
// FORCED-NOT: // vector
// FORCED-LABEL: tessera: main

#include <stdio.h>
#define NOINLINE __attribute__((noinline))

NOINLINE void shortest(int n, int path[n][n])
{
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
}

NOINLINE void last(int n, double a[n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = a[i][j] * 0.5 + a[i][n - 1];
}

NOINLINE void scale(int n, float a[n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = a[i][j] / a[i][0];
}

NOINLINE void eliminate(int n, double a[n][n])
{
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++)
      for (int j = 0; j < n; j++)
        a[i][j] = a[i][j] - a[i][k] * a[k][j] * 0.01;
}

NOINLINE void pivot(int n, int m, double *restrict x)
{
  for (int j = 0; j < n; j++)
    x[j] += x[m];
}

NOINLINE void two(int n, int m, double *restrict x, double *restrict y)
{
  for (int j = 0; j < n; j++) {
    y[j] = x[j] + y[m + 2];
    x[j] = x[m + 2] * y[j];
  }
}

NOINLINE void chain(int n, double *restrict x)
{
  for (int j = 1; j < n; j++)
    x[j] = x[j - 1] * 0.5 + x[n / 2];
}

#define MOST 70
static union {
  int i[MOST * MOST];
  float f[MOST * MOST];
  double d[MOST * MOST];
} u;
static double v[2 * MOST];

static void ints(int n)
{
  for (int i = 0; i < n * n; i++)
    u.i[i] = (i * 37 + i / 11) % 101 - 3;
}

static void doubles(int n)
{
  for (int i = 0; i < n * n; i++)
    u.d[i] = ((i * 37 + i / 11) % 101 + 1) * 0.125;
  for (int i = 0; i < 2 * MOST; i++)
    v[i] = (i * 29 % 31 + 1) * 0.25;
}

static void print(int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum = sum * 1.01 + u.d[i];
  for (int i = 0; i < 2 * MOST; i++)
    sum = sum * 1.01 + v[i];
  printf("%d %a\n", n, sum);
}

int main(void)
{
  static const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 32, 33, 37, 64, 65, 67};
  for (unsigned s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
    int n = sizes[s];
    unsigned sum = 0;
    ints(n);
    shortest(n, (int(*)[n])u.i);
    for (int i = 0; i < n * n; i++)
      sum = sum * 31 + (unsigned)u.i[i];
    printf("%d %u\n", n, sum);
    doubles(n);
    last(n, (double(*)[n])u.d);
    print(n * n);
    doubles(n);
    eliminate(n, (double(*)[n])u.d);
    print(n * n);
    for (int i = 0; i < n * n; i++)
      u.f[i] = (i * 37 + i / 11) % 101 + 1;
    scale(n, (float(*)[n])u.f);
    double all = 0;
    for (int i = 0; i < n * n; i++)
      all = all * 1.01 + u.f[i];
    printf("%d %a\n", n, all);
    for (int m = 0; m < n + 3; m += n / 5 + 1) {
      doubles(n);
      pivot(n, m, v);
      two(n, m, v, u.d);
      chain(n, v);
      print(n);
    }
  }
}
