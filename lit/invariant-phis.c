// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bound that is read in front of a loop and at its end, and used behind it: the same value, but where something changes it
// between the first of these reads and the nest that is modelled, a call or an array that overlaps it.
//
// RUN: %clang -O1 -DF=plain_f -DG=plain_g -DH=plain_h %s -c -o %t.plain.o
// RUN: %clang -O3 -fpass-plugin=%plugin %s -c -o %t.o && %clang -O1 -DMAIN %s %t.o %t.plain.o -o %t && %t
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force %s -c -o %t.o && %clang -O1 -DMAIN %s %t.o %t.plain.o -o %t && %t
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -c -o %t.o
// RUN: %clang -O1 -DMAIN %s %t.o %t.plain.o -o %t && %t
//
// The product of matrices whose size is read each time, and used behind the innermost loop, is modelled whole.
//
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -g -Rpass=tessera %s -c -o %t.o 2>&1 | %FileCheck %s
// CHECK: invariant-phis.c:[[#@LINE+8]]:3: remark: loop nest transformed: {{.*}}register tiles
#include <stdio.h>
#include <string.h>

#ifndef MAIN
#ifndef F
void product(float *restrict o, const float *restrict a, const float *restrict b, const int *n, int from, int to)
{
  for (int i = from; i < to; i++)
    for (int j = 0; j < *n; j++) {
      float sum = 0;
      for (int k = 0; k < *n; k++)
        sum += a[i * *n + k] * b[k * *n + j];
      o[i * *n + j] = sum;
    }
}
#define F f
#define G g
#define H h
#endif

static int times;
__attribute__((noinline)) static void change(int *p)
{
  *p += times++ % 2 ? 1 : -1;
  __asm__ volatile("" ::: "memory");
}

static void count_again(void)
{
  times = 0;
}

void F(int *o, const float *restrict a, float *restrict s, int *n, int m)
{
  for (int j = 0; j < m; j++) {
    int t = *n;
    o[j] = j + 3;
    for (int l = 0; l < t; l++) {
      for (int q = 0; q < 40; q++)
        s[l * 40 + q] += a[q * 64 + l];
      t = *n;
    }
    o[j + 20] = t;
  }
}

void G(const float *restrict a, float *restrict s, int *n, int m)
{
  count_again();
  for (int j = 0; j < m; j++) {
    int before = *n;
    change(n);
    int t = before;
    if (0 < before)
      for (int l = 0; l < *n; l++) {
        for (int q = 0; q < 40; q++)
          s[l * 40 + q] += a[q * 64 + l];
        t = *n;
      }
    for (int q = 0; q < 40; q++)
      for (int r = 0; r < 40; r++)
        s[q * t + r] += a[q * 40 + r];
  }
}

void H(const float *restrict a, float *restrict s, int *n, int m)
{
  count_again();
  for (int j = 0; j < m; j++) {
    int t = *n;
    change(n);
    for (int l = 0; l < t; l++) {
      for (int q = 0; q < 40; q++)
        s[l * 40 + q] += a[q * 64 + l];
      t = *n;
    }
    for (int q = 0; q < 40; q++)
      for (int r = 0; r < 40; r++)
        s[q * t + r] += a[q * 40 + r];
  }
}
#else
#define DECLARE(F, G, H)                                                                                                     \
  void F(int *o, const float *restrict a, float *restrict s, int *n, int m);                                                 \
  void G(const float *restrict a, float *restrict s, int *n, int m);                                                         \
  void H(const float *restrict a, float *restrict s, int *n, int m);
DECLARE(f, g, h)
DECLARE(plain_f, plain_g, plain_h)

int main(void)
{
  static int o[2][100];
  static float a[5000], s[2][5000];
  for (int i = 0; i < 5000; i++)
    a[i] = (float)(i % 7);
  for (int size = 1; size < 12; size++)
    for (int at = 0; at < 8; at++) {
      int n[2] = {size, size};
      o[0][at] = o[1][at] = size;
      f(o[0], a, s[0], o[0] + at, 6);
      plain_f(o[1], a, s[1], o[1] + at, 6);
      f(o[0], a, s[0], n, 6);
      plain_f(o[1], a, s[1], n + 1, 6);
      g(a, s[0], n, 6);
      plain_g(a, s[1], n + 1, 6);
      h(a, s[0], n, 6);
      plain_h(a, s[1], n + 1, 6);
      if (memcmp(o[0], o[1], sizeof(o[0])) || memcmp(s[0], s[1], sizeof(s[0])) || n[0] != n[1]) {
        printf("differs: %d, %d\n", size, at);
        return 1;
      }
    }
  return 0;
}
#endif
