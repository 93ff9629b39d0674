// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pyramid: sizes of levels are (n + 1) / 2 of those before, at run time. All levels down and up again are one SCoP, with a
// few conditions a level: the arrays of the function's own, or the caller's.
//
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-budget=4000000 -mllvm -tessera-only=^test_ -gline-tables-only -Rpass=tessera \
// RUN:   -Rpass-missed=tessera -Rpass-analysis=tessera %s -o %t 2>&1 | %FileCheck %s --implicit-check-not='not modelled' \
// RUN:   --implicit-check-not='remark: SCoP'
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK: loop nest modelled: 12 statements, depth 2
// CHECK-NOT: loop nest modelled
// CHECK: loop nest transformed
// CHECK: loop nest modelled: 12 statements, depth 2
// CHECK-NOT: loop nest modelled
// CHECK: loop nest transformed

#include <stdio.h>
#include <stdlib.h>

#define H0 h
#define W0 w
#define H1 ((H0 + 1) / 2)
#define W1 ((W0 + 1) / 2)
#define H2 ((H1 + 1) / 2)
#define W2 ((W1 + 1) / 2)
#define H3 ((H2 + 1) / 2)
#define W3 ((W2 + 1) / 2)
#define H4 ((H3 + 1) / 2)
#define W4 ((W3 + 1) / 2)
#define LESS(a, b) ((a) < (b) ? (a) : (b))

#define EACH(rows, columns)                                                                                                 \
  for (int i = 0; i < rows; i++)                                                                                            \
    for (int j = 0; j < columns; j++)
#define DOWN(a, b)                                                                                                          \
  EACH(H##a, W##b) t##a[i][j] = d##a[i][2 * j] + d##a[i][LESS(2 * j + 1, W##a - 1)];                                        \
  EACH(H##b, W##b) d##b[i][j] = (t##a[2 * i][j] + t##a[LESS(2 * i + 1, H##a - 1)][j]) * 0.25f;
#define UP(a, b) EACH(H##a, W##a) d##a[i][j] += d##b[i / 2][j / 2];
#define LEVELS(A) A(0, 1) A(1, 2) A(2, 3) A(3, 4)
#define LEVELS_UP(A) A(3, 4) A(2, 3) A(1, 2) A(0, 1)
#define LOCAL(a, b)                                                                                                         \
  float(*t##a)[W##b] = malloc((size_t)H##a * sizeof(*t##a));                                                                \
  float(*d##b)[W##b] = malloc((size_t)H##b * sizeof(*d##b));
#define FREE(a, b)                                                                                                          \
  free(t##a);                                                                                                               \
  free(d##b);
#define PARAMETER(a, b) , float t##a[][W##b], float d##b[][W##b]
#define ARGUMENT(a, b) , t##a, d##b

__attribute__((noinline)) void test_own(int h, int w, float d0[][w])
{
  LEVELS(LOCAL)
  LEVELS(DOWN)
  LEVELS_UP(UP)
  LEVELS(FREE)
}

__attribute__((noinline)) void test_callers(int h, int w, float d0[][w] LEVELS(PARAMETER))
{
  LEVELS(DOWN)
  LEVELS_UP(UP)
}

static unsigned hash(const float *x, int n)
{
  unsigned h = 0;
  for (int i = 0; i < n; i++)
    h = h * 31 + (unsigned)(x[i] * 64);
  return h;
}

int main(void)
{
  static const int size[][2] = {{1, 1}, {2, 2}, {1, 9}, {3, 5}, {7, 7}, {16, 24}, {33, 47}, {64, 61}};
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++) {
    int h = size[s][0], w = size[s][1];
    float(*d0)[w] = malloc((size_t)h * sizeof(*d0));
    for (int k = 0; k < 2; k++) {
      LEVELS(LOCAL)
      EACH(h, w) d0[i][j] = (float)((i * 7 + j * 3 + k) % 64);
      if (k)
        test_callers(h, w, d0 LEVELS(ARGUMENT));
      else
        test_own(h, w, d0);
      printf("%d %d %x\n", h, w, hash(*d0, h * w));
      LEVELS(FREE)
    }
    free(d0);
  }
}
