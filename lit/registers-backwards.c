// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that run down, also over what are neighbours in memory, have register tiles: their lanes run against the loop.
//
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=haswell -Rpass=tessera %s -c -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
//
// CHECK: registers-backwards.c:[[#]]:3: remark: loop nest transformed: {{.*}}register tiles of {{[0-9]+}}x{{[0-9]+}} vectors of 4
// CHECK: registers-backwards.c:[[#]]:3: remark: loop nest transformed: {{.*}}register tiles of {{[0-9]+}}x{{[0-9]+}} vectors of 4
#ifndef MAIN
void product(long n, long m, long l, double c[restrict][m], double a[restrict][l], double b[restrict][m])
{
  for (long i = n - 1; i >= 0; i--)
    for (long j = m - 1; j >= 0; j--)
      for (long k = 0; k < l; k++)
        c[i][j] += a[i][k] * b[k][j];
}

// Here lanes are not independent of each other but for one k.
void columns(long n, long m, double b[restrict n][m], double a[restrict m][m])
{
  for (long i = 0; i < n; i++)
    for (long k = m - 1; k >= 0; k--)
      for (long j = m - 1; j > k; j--)
        b[i][j] += a[k][j] * b[i][k];
}
#else
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void product(long n, long m, long l, double c[restrict][m], double a[restrict][l], double b[restrict][m]);
void columns(long n, long m, double b[restrict n][m], double a[restrict m][m]);

static int differs(long n, long m, long l)
{
  double *c = malloc(n * m * 8 + 8), *d = malloc(n * m * 8 + 8), *a = malloc(n * l * 8 + 8), *b = malloc(l * m * 8 + 8);
  for (long i = 0; i < n * m; i++)
    c[i] = d[i] = (double)(i % 31) / 7;
  for (long i = 0; i < n * l; i++)
    a[i] = (double)(i % 29) / 3 - 4;
  for (long i = 0; i < l * m; i++)
    b[i] = (double)(i % 37) / 11 - 1;
  product(n, m, l, (void *)c, (void *)a, (void *)b);
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      for (long k = 0; k < l; k++)
        d[i * m + j] += a[i * l + k] * b[k * m + j];
  int wrong = memcmp(c, d, n * m * 8) != 0;
  free(a), free(b), free(c), free(d);
  if (wrong)
    printf("%ld %ld %ld\n", n, m, l);
  return wrong;
}

static int columns_differ(long n, long m)
{
  double *b = malloc(n * m * 8 + 8), *c = malloc(n * m * 8 + 8), *a = malloc(m * m * 8 + 8);
  for (long i = 0; i < n * m; i++)
    b[i] = c[i] = (double)(i % 31) / 7 - 2;
  for (long i = 0; i < m * m; i++)
    a[i] = (double)(i % 29) / 130 - 0.1;
  columns(n, m, (void *)b, (void *)a);
  for (long i = 0; i < n; i++)
    for (long k = m - 1; k >= 0; k--)
      for (long j = m - 1; j > k; j--)
        c[i * m + j] += a[k * m + j] * c[i * m + k];
  int wrong = memcmp(b, c, n * m * 8) != 0;
  free(a), free(b), free(c);
  if (wrong)
    printf("columns %ld %ld\n", n, m);
  return wrong;
}

int main(void)
{
  static const long size[] = {0, 1, 2, 7, 8, 9, 31, 64, 97, 130, 257};
  int wrong = 0;
  for (int i = 0; i < 11; i++)
    for (int j = 0; j < 11; j++)
      for (int k = 0; k < 11; k++)
        wrong |= differs(size[i], size[j], size[k]);
  for (int i = 0; i < 11; i++)
    for (int j = 0; j < 11; j++)
      wrong |= columns_differ(size[i], size[j]);
  return wrong;
}
#endif
