// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles, threads and vectors as commanded: Fig. 3 (a) of baghdadi-cgo19, on the blur of its Fig. 2. The program computes the
// same. What isn't legal, or isn't there, is refused, and nothing is compiled.
//
// REQUIRES: gomp
// RUN: rm -rf %t && %split-file %s %t
// DEFINE: %{commands} = tile
// DEFINE: %{compile} = %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-parallel -mllvm -tessera-only=blur \
// DEFINE:   -mllvm -tessera-commands=%t/%{commands}
// RUN: %{compile} -mllvm -tessera-print=ast -c %t/a.c -o /dev/null 2>&1 | %FileCheck %s --check-prefix=AST
// RUN: %clang -O2 %t/a.c -o %t/plain && %t/plain > %t/expected
// RUN: %{compile} %t/a.c -lgomp -o %t/a && env OMP_NUM_THREADS=3 %t/a | diff %t/expected -
//
// REDEFINE: %{commands} = unknown-loop
// RUN: %not %{compile} -c %t/a.c -o %t/a.o 2>&1 | %FileCheck %s --check-prefix=LOOP
// REDEFINE: %{commands} = between
// RUN: %not %{compile} -c %t/a.c -o %t/a.o 2>&1 | %FileCheck %s --check-prefix=BETWEEN
// REDEFINE: %{commands} = carried
// RUN: %not %{compile} -c %t/a.c -o %t/a.o 2>&1 | %FileCheck %s --check-prefix=CARRIED

// AST:      // parallel
// AST-NEXT: for (int c0 = 0; c0 <= floord(n - 3, 32); c0 += 1)
// AST-NEXT:   for (int c1 = 0; c1 <= floord(m - 3, 32); c1 += 1)
// AST-NEXT:     for (int c2 = 0; c2 <= min(31, n - 32 * c0 - 3); c2 += 1)
// AST-NEXT:       for (int c3 = 0; c3 <= min(31, m - 32 * c1 - 3); c3 += 1) {
// AST-NEXT:         // vector
// AST-NEXT:         for (int c4 = 0; c4 <= 2; c4 += 1)
// AST-NEXT:           S1(32 * c0 + c2, 32 * c1 + c3, c4);

// LOOP: error: tessera: {{.*}}unknown-loop:2:3: by.tile: S1 has no loop 'x'; it has i, j, c
// BETWEEN: error: tessera: {{.*}}between:2:3: by.tile: tiles are of loops directly one inside of the other
// CARRIED: error: tessera: {{.*}}carried:2:3: sum.parallelize: not legal: the iterations of a loop marked parallel depend on each other: array sum{{.*}}, S{{[0-9]}}[{{.*}}] of line 21 and S

//--- tile
# Tiling and parallelization.
blur:
  by.tile(i, j, 32, 32, i0, j0, i1, j1)
  by.parallelize(i0)
//--- unknown-loop
blur:
  by.tile(i, x, 32, 32, i0, j0, i1, j1)
//--- between
blur:
  by.tile(i, c, 32, 32, i0, j0, i1, j1)
//--- carried
blur_sum:
  sum.parallelize(i)
//--- a.c
#include <stdio.h>

static float in[130][260][3], bx[130][260][3], by[130][260][3], sum[260];

__attribute__((noinline)) void blur(int n, int m)
{
  for (int i = 0; i < n - 2; i++)
    for (int j = 0; j < m - 2; j++)
      for (int c = 0; c < 3; c++)
        bx[i][j][c] = (in[i][j][c] + in[i][j + 1][c] + in[i][j + 2][c]) / 3;
  for (int i = 0; i < n - 2; i++)
    for (int j = 0; j < m - 2; j++)
      for (int c = 0; c < 3; c++)
        by[i][j][c] = (bx[i][j][c] + bx[i + 1][j][c] + bx[i + 2][j][c]) / 3;
}

__attribute__((noinline)) void blur_sum(int n, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      sum[j] = sum[j] * 0.5f + by[i][j][0];
}

int main(void)
{
  for (int i = 0; i < 130 * 260 * 3; i++)
    (&in[0][0][0])[i] = (float)(i * 7 % 31) * 0.25f;
  blur(130, 260);
  blur_sum(130, 260);
  for (int i = 0; i < 130 * 260 * 3; i++)
    printf("%a\n", (&by[0][0][0])[i]);
  for (int j = 0; j < 260; j++)
    printf("%a\n", sum[j]);
}
