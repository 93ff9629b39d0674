// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A floating-point sum has the same value for every number of threads, also where it may be reassociated.
//
// REQUIRES: gomp
// RUN: %clang -O2 %s -lm -lgomp -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -gline-tables-only \
// RUN:   -Rpass=tessera %s -lm -lgomp -o %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=1 %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O2 -ffast-math -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel %s -lgomp -o %t
// RUN: env OMP_NUM_THREADS=1 %t > %t.1
// RUN: env OMP_NUM_THREADS=2 %t > %t.2 && diff %t.1 %t.2
// RUN: env OMP_NUM_THREADS=7 %t > %t.7 && diff %t.1 %t.7

// CHECK: loop nest transformed

#include <stdio.h>

#define N 200

__attribute__((noinline)) double sum(double a[N][N])
{
  double s = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      s += a[i][j];
  return s;
}

__attribute__((noinline)) void sums(double *restrict rows, double *restrict columns, double *restrict all, double a[N][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      rows[i] += a[i][j];
      columns[j] += a[i][j];
      *all += a[i][j];
    }
}

static double a[N][N], rows[N], columns[N], all;

int main(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = (i * 31 + j * 17) % 101 * 1e-3 + (i == j) * 1e9;
  sums(rows, columns, &all, a);
  printf("%a %a\n", sum(a), all);
  for (int i = 0; i < N; i++)
    printf("%a %a\n", rows[i], columns[i]);
}
