// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops behind a condition on data that never holds: what they alone load, bounds, pointers in structures, tables of rows, may
// not be there at all. New code, in which loops run under masks, is for conditions that often hold: how often is counted in
// front, unless the user asks for it.
//
// RUN: %clang -O2 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -Rpass=tessera %s -o %t 2> %t.remarks && %t > %t.out && diff %t.expected %t.out
// RUN: %FileCheck %s --input-file=%t.remarks
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel %s -lgomp -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-only=^columns$ -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=IR
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-only=^columns$ -mllvm -tessera-force -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=FORCED
#include <stdio.h>
#include <stdlib.h>

#define M 200
#define FORM(...) __attribute__((noinline)) static void __VA_ARGS__

FORM(bound(int n, const double *c, const int *m, double *y, const double *x))
{
  for (int i = 0; i < n; i++)
    if (c[i] > 0)
      for (int j = 0; j < *m; j++)
        y[j] += c[i] * x[j];
}

struct vector {
  int m;
  double *v;
};

FORM(member(int n, const double *c, const struct vector *s, const double *x))
{
  for (int i = 0; i < n; i++)
    if (c[i] > 0)
      for (int j = 0; j < s->m; j++)
        s->v[j] += c[i] * x[j];
}

FORM(rows(int n, int m, const double *c, double **a, const double *x))
{
  for (int i = 0; i < n; i++)
    if (c[i] > 0)
      for (int j = 0; j < m; j++)
        a[i][j] += c[i] * x[j];
}

// What is asked about changes on the way.
FORM(own(int n, int m, double *c, const double *x))
{
  for (int i = 0; i < n; i++)
    if (c[i] > 0)
      for (int j = 0; j < m; j++)
        c[j] -= c[i] * x[j];
}

// CHECK: :[[@LINE+5]]:3: remark: loop nest transformed:
// IR: mul i64 {{.*}}, 1000
// FORCED-NOT: mul i64 {{.*}}, 1000
FORM(columns(int n, int m, double (*restrict a)[M], const double (*restrict b)[M], const double *restrict x))
{
  for (int i = 0; i < n; i++)
    if (x[i] > 0)
      for (int j = 1; j < m; j++)
        a[j][i] = a[j - 1][i] * 0.5 + b[j][i];
}

int main(void)
{
  static double c[M], y[M], x[M], a[M][M], b[M][M], *table[M];
  static const int every[] = {1, 2, 3, 7, 100, 1000};
  for (int i = 0; i < M; i++) {
    c[i] = -i;
    x[i] = i * 0.01;
    for (int j = 0; j < M; j++)
      b[i][j] = (i * 3 + j) % 7;
  }
  bound(M, c, NULL, y, x);
  member(M, c, NULL, x);
  rows(M, M, c, NULL, x);
  rows(M, M, c, table, x);
  columns(M, M, NULL, NULL, c);
  for (size_t e = 0; e < sizeof(every) / sizeof(*every); e++) {
    int m = M - (int)e;
    struct vector s = {m - 3, y};
    for (int i = 0; i < M; i++) {
      c[i] = i % every[e] == every[e] - 1 ? 0.01 : -0.01;
      if (c[i] > 0 && !table[i])
        table[i] = calloc(M, sizeof(double));
    }
    bound(M, c, &m, y, x);
    member(M - 1, c, &s, x);
    rows(M, m, c, table, x);
    columns(M, m, a, b, c);
    columns(M - 5, 33, a, b, c);
    own(m, M, c, x);
    double sum = 0;
    for (int i = 0; i < M; i++) {
      sum = sum * 0.9 + y[i] + c[i];
      for (int j = 0; j < M; j++)
        sum = sum * 0.99 + a[i][j] + (table[i] ? table[i][j] : 0);
    }
    printf("%.17g\n", sum);
  }
}
