// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that read memory, but not what the nest writes, are modelled; those that may read it are not.
//
// RUN: %clang -O2 %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only='^f_' -gline-tables-only -Rpass=tessera \
// RUN:   -Rpass-missed=tessera %s -lm -o %t 2>&1 | %FileCheck %s --check-prefixes=CHECK,EARLY
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late -mllvm -tessera-only='^f_' \
// RUN:   -gline-tables-only -Rpass=tessera -Rpass-missed=tessera %s -lm -o %t.late 2>&1 | %FileCheck %s --check-prefixes=CHECK,LATE
// RUN: %t.late > %t.out && diff %t.expected %t.out

#include <stdio.h>
#include <string.h>

#define N 60

static double table[N], a[N][N], c[N][N];
static double *rows[N];
static char text[N][8];

__attribute__((noinline, pure)) static double look_up(int i)
{
  return table[i];
}

__attribute__((noinline, pure)) static double pair(const double *p, int n)
{
  return p[0] + p[n];
}

// CHECK: [[#@LINE+3]]:{{[0-9]+}}: remark: loop nest transformed
__attribute__((noinline)) void f_restrict(double out[restrict N][N], int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      out[j][i] += look_up(i) * look_up(j);
}

// CHECK: [[#@LINE+3]]:{{[0-9]+}}: remark: loop nest transformed
__attribute__((noinline)) void f_arguments(double out[restrict N][N], const double *in, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      out[j][i] = pair(in + i, j) + out[i][j];
}

// CHECK: [[#@LINE+4]]:{{[0-9]+}}: remark: loop nest transformed
__attribute__((noinline)) double f_local(int n)
{
  double local[N][N];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      local[j][i] = look_up(i) - look_up(j);
  return local[n / 2][n / 3] + local[0][n - 1];
}

// CHECK: [[#@LINE+4]]:{{[0-9]+}}: remark: loop nest transformed
__attribute__((noinline)) long f_strings(int n)
{
  long count = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      count += memcmp(text[i], text[j], 8) < 0 && i != j;
  return count;
}

// The array that is written may be what is read, by name, ..
// CHECK: [[#@LINE+4]]:{{[0-9]+}}: remark: loop nest not modelled: call of a function that may read what the nest writes: look_up(j)
__attribute__((noinline)) void f_same(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      table[j] = look_up(j) * 0.5 + i;
}

// .. by an argument, ..
// CHECK: [[#@LINE+4]]:{{[0-9]+}}: remark: loop nest not modelled: call of a function that may read what the nest writes: pair(
__attribute__((noinline)) void f_based(double *restrict p, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++)
      p[j] = pair(p + j - 1, i);
}

// .. or by pointers to rows. Pointers that change places differ in one iteration of the outer loop, whose turns are known late.
// EARLY: [[#@LINE+7]]:{{[0-9]+}}: remark: loop nest transformed
// LATE: [[#@LINE+6]]:{{[0-9]+}}: remark: loop nest transformed
__attribute__((noinline)) void f_swapped(double *restrict p, double *restrict q, int n)
{
  double *from = p, *to = q;
  for (int i = 0; i < n; i++) {
    double *other = from;
    for (int j = 0; j < n; j++)
      to[j] = pair(from, j);
    from = to;
    to = other;
  }
}

// CHECK: [[#@LINE+4]]:{{[0-9]+}}: remark: loop nest not modelled: call of a function that may read
__attribute__((noinline)) void f_rows(double **restrict row, int n)
{
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n; j++)
      row[i][j] = pair(row[i - 1], j);
}

static void show(const double *p, int n)
{
  for (int i = 0; i < n; i++)
    printf("%a\n", p[i]);
}

int main(void)
{
  for (int i = 0; i < N; i++) {
    table[i] = i % 7 - 3;
    rows[i] = c[i];
    snprintf(text[i], sizeof(text[i]), "%d", i * 37 % 50);
    for (int j = 0; j < N; j++)
      a[i][j] = i * 3 + j;
  }
  f_restrict(a, N);
  f_restrict(a, 0);
  f_arguments(c, a[0], N);
  printf("%a %a %ld\n", f_local(N), f_local(1), f_strings(N));
  show(a[0], N * N);
  show(c[0], N * N);
  f_same(N);
  f_based(a[0], N);
  f_swapped(a[1], a[3], N);
  f_rows(rows, N);
  show(table, N);
  show(a[0], N * N);
  show(c[0], N * N);
}
