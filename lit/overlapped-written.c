// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles that overlap pay by what they don't write. A blur of two passes whose intermediate the caller sees writes all of it
// still, and took 1.85 times as long in such tiles: its rows are fused instead, where there is much data. With an intermediate
// of its own it is tiled.
//
// RUN: %clang -O3 -march=znver4 -fpass-plugin=%plugin -gline-tables-only -Rpass=tessera -c %s -o %t.o 2>&1 | %FileCheck %s

// CHECK:     loop nest transformed: rescheduled, 2 loops {{.*}}, nests fused row by row; {{.*}}; runs where p_0 >= 2 and p_0 * (p_2 - 2) >= {{[0-9][0-9][0-9][0-9][0-9][0-9][0-9]}}
// CHECK:     loop nest transformed: rescheduled, 2 loops
// CHECK-NOT: row by row

#include <stdint.h>
#include <stdlib.h>

void callers(long h, long w, uint16_t out[restrict h][w], uint16_t between[restrict h][w], uint16_t in[restrict h][w])
{
  for (long i = 0; i < h; i++)
    for (long j = 0; j < w - 2; j++)
      between[i][j] = (in[i][j] + in[i][j + 1] + in[i][j + 2]) / 3;
  for (long i = 0; i < h - 2; i++)
    for (long j = 0; j < w - 2; j++)
      out[i][j] = (between[i][j] + between[i + 1][j] + between[i + 2][j]) / 3;
}

void own(long h, long w, uint16_t out[restrict h][w], uint16_t in[restrict h][w])
{
  uint16_t(*between)[w] = malloc(sizeof(uint16_t[h][w]));
  for (long i = 0; i < h; i++)
    for (long j = 0; j < w - 2; j++)
      between[i][j] = (in[i][j] + in[i][j + 1] + in[i][j + 2]) / 3;
  for (long i = 0; i < h - 2; i++)
    for (long j = 0; j < w - 2; j++)
      out[i][j] = (between[i][j] + between[i + 1][j] + between[i + 2][j]) / 3;
  free(between);
}
