// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over flat indices, k / w and k % w, also from and to anywhere, and as OpenMP's collapse makes them: whole rows are
// nests, without divisions. Also where there is no row, a width of 1, a negative one, and where the division is under a
// condition.
//
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fopenmp -fpass-plugin=%plugin -g -Rpass=tessera %s -c -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin %s -c -o %t.o
// RUN: %clang -O1 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force %s -c -o %t.o
// RUN: %clang -O1 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -c -o %t.o
// RUN: %clang -O1 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
//
// REQUIRES: native-avx2
//
// CHECK: flat-loops.c:32:{{.*}} loop nest transformed: {{.*}}register tiles
// CHECK: flat-loops.c:44:{{.*}} loop over a flat index is one over rows, without divisions
// CHECK: flat-loops.c:53:{{.*}} loop over a flat index is one over rows, without divisions
// CHECK: flat-loops.c:70:{{.*}} loop nest transformed: {{.*}}register tiles
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MAIN
#define F(NAME) NAME##_plain
#else
#define F(NAME) NAME
#endif

void F(product)(float *o, const float *a, const float *b, int m, int n)
{
  for (int k = 0; k < m * n; k++) {
    int i = k / n, j = k % n;
    float s = 0;
    for (int l = 0; l < n; l++)
      s += a[i * n + l] * b[l * n + j];
    o[k] = s;
  }
}

/* From anywhere to anywhere. */
void F(part)(float *o, const float *a, int w, long s, long e)
{
  for (long k = s; k <= e; k++) {
    long x = k % w, y = k - k / w;
    o[k] = a[k] * 2 + a[x] * 3 + (float)(y & 7) + (x > 0 ? a[k - 1] : a[k]);
  }
}

/* Rows that start and end in the middle, unsigned. */
void F(unsigned_part)(float *o, const float *a, unsigned w, unsigned s, unsigned e)
{
  for (unsigned k = s; k < e; k++)
    o[k / w * (w + 3) + k % w] = a[k] + a[k % w] * 2;
}

/* Where there is no division, the width may be anything: it stays as it is. */
void F(sometimes)(int *o, const int *a, int w, int n)
{
  for (int k = 0; k < n; k++)
    if (a[k] > 3)
      o[k] = k / w + k % w;
}

#ifndef MAIN
void collapsed(float *o, const float *a, const float *b, int m, int n)
{
  if (n <= 0)
    return;
#pragma omp parallel for collapse(2)
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int l = 0; l < n; l++)
        s += a[i * n + l] * b[l * n + j];
      o[i * n + j] = s;
    }
}
#else
void product(float *o, const float *a, const float *b, int m, int n);
void part(float *o, const float *a, int w, long s, long e);
void unsigned_part(float *o, const float *a, unsigned w, unsigned s, unsigned e);
void sometimes(int *o, const int *a, int w, int n);

static float a[8000], b[8000], o[2][30000];
static int x[300], y[2][300];

static int differ(const char *what, int w, long s, long e)
{
  int wrong = memcmp(o[0], o[1], sizeof(o[0])) || memcmp(y[0], y[1], sizeof(y[0]));
  if (wrong)
    printf("%s differs: %d from %ld to %ld\n", what, w, s, e);
  return wrong;
}

int main(void)
{
  static const int widths[] = {1, 2, 3, 7, 16, 33, 64, 100, 1000, 5000, -1, -3, -64};
  int wrong = 0;
  for (int i = 0; i < 8000; i++)
    a[i] = (float)(i * 37 % 101) / 7, b[i] = (float)(i * 31 % 97) / 5;
  for (int i = 0; i < 300; i++)
    x[i] = i * 7 % 11;
  for (int n = -2; n < 70; n += n < 5 ? 1 : 13)
    for (int m = n < 0 ? -2 : 0; m < 70; m += m < 3 ? 1 : 17) {
      if (n <= 0 && m < 0 && m * n > 0)
        continue; /* elements before the arrays */
      product(o[0], a, b, m, n);
      product_plain(o[1], a, b, m, n);
      wrong += differ("product", n, 0, m);
    }
  for (unsigned t = 0; t < sizeof(widths) / sizeof(*widths); t++)
    for (long s = 1; s < 300; s += s < 4 ? 1 : 61)
      for (long e = s - 2; e < 3000; e += e < s + 3 ? 1 : 463) {
        int w = widths[t];
        part(o[0], a, w, s, e);
        part_plain(o[1], a, w, s, e);
        wrong += differ("part", w, s, e);
        if (w > 0) {
          unsigned_part(o[0], a, (unsigned)w, (unsigned)s, e < 0 ? 0 : (unsigned)e);
          unsigned_part_plain(o[1], a, (unsigned)w, (unsigned)s, e < 0 ? 0 : (unsigned)e);
          wrong += differ("unsigned part", w, s, e);
        }
      }
  sometimes(y[0], x, 7, 300);
  sometimes_plain(y[1], x, 7, 300);
  memset(x, 0, sizeof(x));
  sometimes(y[0], x, 0, 300);
  wrong += differ("sometimes", 0, 0, 0);
  return wrong != 0;
}
#endif
