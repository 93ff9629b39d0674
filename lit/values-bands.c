// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops from a maximum to a minimum, as over the band of a matrix.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -g -Rpass=tessera -Rpass-missed=tessera \
// RUN:   -mllvm -tessera-only='^nest' %s -o %t 2>&1 | %FileCheck --implicit-check-not='not modelled' %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out

#include <stdio.h>

// CHECK: bands.c:[[# @LINE + 4]]:3: remark: loop nest transformed

__attribute__((noinline)) void nest_band(double *restrict a, double *restrict b, int n, int w)
{
  for (int i = 0; i < n; i++)
    for (int j = i - w > 0 ? i - w : 0; j < (i + w < n ? i + w : n); j++)
      a[i * n + j] += b[j * n + i];
}

// CHECK: bands.c:[[# @LINE + 4]]:3: remark: loop nest transformed

__attribute__((noinline)) void nest_fixed(double a[][60], double *restrict x, double *restrict y, int n, int w)
{
  for (int i = 0; i < n; i++)
    for (int j = i < w ? 0 : i - w; j <= i; j++)
      y[i] += a[i][j] * x[j];
}

// CHECK: bands.c:[[# @LINE + 4]]:3: remark: loop nest transformed

__attribute__((noinline)) void nest_unsigned(float *restrict a, float *restrict b, unsigned n, unsigned w)
{
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = i > w ? i - w : 0; j < n; j++)
      a[i * n + j] += b[j * n + i];
}

static double a[60][60], b[60 * 60], x[60], y[60];
static float c[60 * 60], d[60 * 60];

int main(void)
{
  for (int i = 0; i < 60 * 60; i++) {
    b[i] = i % 37;
    d[i] = i % 31;
  }
  for (int i = 0; i < 60; i++)
    x[i] = i % 7;
  for (int n = 0; n <= 60; n += 15)
    for (int w = -3; w <= 62; w += 5) {
      nest_band(&a[0][0], b, n, w);
      nest_fixed(a, x, y, n, w);
      nest_unsigned(c, d, n, w < 0 ? -w : w);
    }
  double sum = 0;
  for (int i = 0; i < 60 * 60; i++)
    sum = sum * 0.999 + a[i / 60][i % 60] + c[i];
  for (int i = 0; i < 60; i++)
    sum = sum * 0.999 + y[i];
  printf("%.17g\n", sum);
  return 0;
}
