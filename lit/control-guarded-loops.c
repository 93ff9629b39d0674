// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions on data around innermost loops go to each of the statements in there, as the loops may go elsewhere then: walks
// down columns become walks along rows. Nothing is stored, and nothing loaded, where the original doesn't. Other arrays are in
// the way of that only where they hold what the condition asks about.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -g -Rpass=tessera %s -o %t 2> %t.remarks && %t > %t.out && diff %t.expected %t.out
// RUN: %FileCheck %s --input-file=%t.remarks
// RUN: %clang -O3 -mavx512f -mavx512vl -fpass-plugin=%plugin -mllvm -tessera-only=^columns$ -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=IR
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-tile-sizes=5 %s -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel %s -lgomp -o %t && %t > %t.out && diff %t.expected %t.out
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define M 300
#define FORM(name) __attribute__((noinline)) static void name(int n, int m, float a[M][M], const float b[M][M], float x[M])

// IR-LABEL: define {{.*}}@columns(
// IR: llvm.masked.store
// CHECK: :[[@LINE+3]]:3: remark: loop nest transformed:
FORM(columns)
{
  for (int i = 0; i < n; i++)
    if (x[i] > 0)
      for (int j = 1; j < m; j++)
        a[j][i] = a[j - 1][i] + b[j][i] * b[j][i];
}

// The condition asks about a row of the array that is written; the other arm; two loops and what is between them.
// CHECK: :[[@LINE+3]]:3: remark: loop nest transformed:
FORM(own_row)
{
  for (int i = 0; i < n; i++) {
    if (a[0][i] <= 1)
      continue;
    for (int j = 1; j < m; j++)
      a[j][i] = a[j - 1][i] * 0.5f + b[j][i];
    x[i] = 3;
    for (int j = 1; j < m; j++)
      a[j][i] += b[j][i];
  }
}

// What it asks about is written behind it.
FORM(changed)
{
  for (int i = 0; i < n; i++)
    if (a[1][i] > 0)
      for (int j = 0; j < m; j++)
        a[j][i] = b[j][i] - a[j][i];
}

// .. and by other columns.
FORM(neighbours)
{
  for (int i = 1; i < n; i++)
    if (a[2][i - 1] > 0)
      for (int j = 1; j < m; j++)
        a[j][i] = b[j][i] - a[j - 1][i];
}

// A sum comes out of the loop: of such nothing is made.
FORM(sums)
{
  for (int i = 0; i < n; i++) {
    float s = 1;
    if (b[0][i] > 0)
      for (int j = 1; j < m; j++)
        s += b[j][i];
    x[i] = s;
  }
}

// Conditions in conditions.
FORM(both)
{
  for (int i = 0; i < n; i++)
    if (b[0][i] > 0) {
      for (int j = 1; j < m; j++)
        if (b[j][i] > x[i])
          a[j][i] = b[j][i];
      if (b[1][i] > 2)
        for (int j = 0; j < m; j++)
          a[j][i] -= 1;
    }
}

// Nobody may write behind the end of x, whose last element says no.
__attribute__((noinline)) static void read_only(int n, int m, float *a, float (*b)[M])
{
  for (int i = 0; i < n; i++)
    if (b[0][i] > 1e30f)
      for (int j = 0; j < m; j++)
        a[j * 256 + i] = b[j][i];
}

static float a[M][M], b[M][M], x[M];

static unsigned long hash(const void *p, size_t n)
{
  unsigned long h = 1469598103934665603u;
  for (size_t i = 0; i < n; i++)
    h = (h ^ ((const unsigned char *)p)[i]) * 1099511628211u;
  return h;
}

static void run(void (*form)(int, int, float[M][M], const float[M][M], float[M]), int n, int m)
{
  for (int i = 0; i < M; i++) {
    x[i] = (float)(i * 37 % 19) - 9;
    for (int j = 0; j < M; j++) {
      a[i][j] = (float)((i * 71 + j * 13) % 101) / 7 - 7;
      b[i][j] = (float)((i * 31 + j * 57) % 103) / 9 - 5;
    }
  }
  form(n, m, a, (const float(*)[M])b, x);
  printf(" %lx", hash(a, sizeof(a)) ^ hash(x, sizeof(x)));
}

int main(void)
{
  static const int size[] = {0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 97, 300};
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++)
    for (unsigned t = 0; t < sizeof(size) / sizeof(*size); t += 3) {
      int n = size[s], m = size[t];
      printf("%d %d:", n, m);
      run(columns, n, m);
      run(own_row, n, m);
      run(changed, n, m);
      run(neighbours, n, m);
      run(sums, n, m);
      run(both, n, m);
      putchar('\n');
    }
  float *page = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  read_only(200, 200, page, b);
  printf("%g\n", page[77]);
  return 0;
}
