// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that begin at parameters, as those of hand-tiled nests and of ranges: they have a typical size, and a test of sizes
// that are the least of two. The loops over tiles, in steps that are a parameter, are around the nest.
//
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -g -Rpass=tessera %s -c -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
//
// That tiles are large is asked when the function is entered, where else its own body runs, and in front of each nest.
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=ENTRY
// ENTRY-LABEL: define {{.*}}void @tiled(
// ENTRY-NEXT: icmp sgt i32 %4, {{[0-9]+}}
// ENTRY: define internal {{.*}}void @tiled.tsr.large(
//
// REQUIRES: native-avx2
//
// CHECK: hand-tiled.c:35:{{.*}} loop nest transformed: {{.*}}register tiles {{.*}}runs where {{.*}}tile{{.*}}>= {{[0-9]+}} and
// CHECK: hand-tiled.c:47:{{.*}} loop nest transformed: {{.*}}register tiles {{.*}}runs where i1
// CHECK: hand-tiled.c:59:{{.*}} loop nest transformed: {{.*}}register tiles
#include <stdio.h>
#include <string.h>

#ifdef MAIN
#define F(NAME) NAME##_plain
#else
#define F(NAME) NAME
#endif
#define MIN(A, B) ((A) < (B) ? (A) : (B))

void F(tiled)(double *c, const double *a, const double *b, int n, int tile)
{
  for (int it = 0; it < n; it += tile)
    for (int kt = 0; kt < n; kt += tile)
      for (int jt = 0; jt < n; jt += tile) {
        int iend = MIN(n, it + tile), jend = MIN(n, jt + tile), kend = MIN(n, kt + tile);
        for (int i = it; i < iend; i++)
          for (int k = kt; k < kend; k++)
            for (int j = jt; j < jend; j++)
              c[i * n + j] += a[i * n + k] * b[k * n + j];
      }
}

/* A thread's part. */
void F(range)(double *c, const double *a, const double *b, int n, int i0, int i1, int j0, int j1)
{
  if (n <= 0)
    return;
  for (int i = i0; i < i1; i++)
    for (int j = j0; j < j1; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

/* The user asks for vectors: these are. */
void F(asked)(double *c, const double *a, const double *b, int n)
{
  if (n <= 0)
    return;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++)
#pragma clang loop vectorize(enable)
    for (int k = 0; k < n; k++)
#pragma clang loop vectorize(assume_safety) interleave_count(2)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

#ifdef MAIN
void tiled(double *c, const double *a, const double *b, int n, int tile);
void range(double *c, const double *a, const double *b, int n, int i0, int i1, int j0, int j1);
void asked(double *c, const double *a, const double *b, int n);

static double a[10000], b[10000], c[2][10000];

int main(void)
{
  static const int sizes[] = {1, 2, 3, 17, 24, 48, 53, 64, 97}, tiles[] = {1, 3, 16, 24, 32, 47, 48, 64, 100};
  for (int i = 0; i < 10000; i++)
    a[i] = (double)(i % 37) / 7, b[i] = (double)(i % 41) / 11;
  for (int s = 0; s < 9; s++) {
    int n = sizes[s];
    for (int t = 0; t < 9; t++) {
      tiled(c[0], a, b, n, tiles[t]);
      tiled_plain(c[1], a, b, n, tiles[t]);
      range(c[0], a, b, n, tiles[t] / 3 < n ? tiles[t] / 3 : n, n, t, t < 3 ? n / 2 : n);
      range_plain(c[1], a, b, n, tiles[t] / 3 < n ? tiles[t] / 3 : n, n, t, t < 3 ? n / 2 : n);
    }
    asked(c[0], a, b, n);
    asked_plain(c[1], a, b, n);
    if (memcmp(c[0], c[1], sizeof(c[0]))) {
      printf("differs: %d\n", n);
      return 1;
    }
    memset(c, 0, sizeof(c));
  }
  return 0;
}
#endif
