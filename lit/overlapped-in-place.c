// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stage that changes an array in place, and reads there what was there before: no tile has that in a buffer. The nest behind
// it has no tiles of its results, others of the pipeline have.
//
// RUN: rm -rf %t && %split-file %s %t
// RUN: %clang -O1 -ffp-contract=off %t/all.c -o %t/plain && %t/plain > %t/expected
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-commands=%t/commands -mllvm -tessera-print=ast %t/all.c -o %t/tiled 2>&1 | %FileCheck %s
// RUN: %t/tiled > %t/out && diff %t/expected %t/out
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -Rpass-missed=tessera -gline-tables-only %t/all.c -o %t/forced 2>&1 | %FileCheck %s --check-prefix=LEGAL --allow-empty
// RUN: %t/forced > %t/out && diff %t/expected %t/out
// RUN: %not %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-commands=%t/refused %t/all.c -c -o /dev/null 2>&1 | %FileCheck %s --check-prefix=REFUSED

// LEGAL-NOT: stage: check
// LEGAL-NOT: legality check failed

// The first stage stays where it is; what comes from it is in tiles.
// CHECK-LABEL: tessera: pipeline.0
// CHECK:       S0(
// CHECK:       // allocate A_1_buffer
// CHECK:         S1(
// CHECK:         S2(
// CHECK-LABEL: tessera: main
// REFUSED: refused:2:3: overlapped_tiles: no nest reads what others compute for it alone, in loops that can be tiled

//--- commands
pipeline:
  overlapped_tiles(8, 16)
//--- refused
pointwise:
  overlapped_tiles(8, 16)
//--- all.c
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) void pointwise(int n, float x[restrict n], float y[restrict n])
{
  for (int i = 0; i < n; i++)
    x[i] = 2 * x[i] + y[i];
  for (int i = 0; i < n; i++)
    x[i] += 1;
}

__attribute__((noinline)) void pipeline(int n, float out[restrict n], float in[restrict n])
{
  float *p = malloc(sizeof(float[n + 2]));
  for (int i = 0; i < n + 2; i++)
    in[i] = 2 * in[i] + 1;
  for (int i = 0; i < n + 2; i++)
    p[i] = in[i] * in[i];
  for (int i = 0; i < n; i++)
    out[i] = p[i] + p[i + 1] + p[i + 2];
  free(p);
}

int main(void)
{
  static const int size[] = {0, 1, 2, 15, 16, 17, 100, 3001};
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++) {
    int n = size[s];
    float *x = malloc(sizeof(float[n + 2])), *y = malloc(sizeof(float[n + 2]));
    for (int k = 0; k < n + 2; k++)
      x[k] = (float)(k * 7 % 23), y[k] = (float)(k * 5 % 17);
    pointwise(n, x, y);
    pipeline(n, y, x);
    unsigned sum = 0;
    for (int k = 0; k < n + 2; k++)
      sum = sum * 31 + (unsigned)(int)x[k] * 3 + (unsigned)(int)y[k];
    printf("%x\n", sum);
    free(x);
    free(y);
  }
}
