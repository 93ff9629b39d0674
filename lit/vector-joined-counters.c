// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A short innermost loop becomes a part of the one around it, so that vectors have more than two elements: an instance is at
// c / 2 and c % 2. In memory its elements are neighbours still, and vectors load and store them as such. They were gathered,
// which took 1.4 times as long as clang's code where gathers are slow.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -mavx512f -fpass-plugin=%plugin -g -Rpass=tessera -S -emit-llvm %s -o %t.ll 2> %t.remarks
// RUN: %FileCheck %s --input-file=%t.remarks
// RUN: %FileCheck %s --check-prefix=IR --input-file=%t.ll
// RUN: %clang -O3 -mavx2 -fpass-plugin=%plugin %s -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out && diff %t.expected %t.out
#include <stdio.h>
#include <stdlib.h>

#define LEVELS 17

// IR-LABEL: define {{.*}}@pairs
// IR-NOT: masked.gather
// IR: @llvm.fmuladd.v{{[0-9]+}}f32
// IR-NOT: masked.gather
// IR: ret void
// CHECK: :[[@LINE+3]]:3: remark: loop nest transformed: rescheduled
__attribute__((noinline)) static void pairs(int h, int w, float to[h][w][LEVELS][2], float from[h][w][LEVELS][2])
{
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int z = 2; z < LEVELS - 2; z++)
        for (int c = 0; c < 2; c++)
          to[y][x][z][c] = from[y][x][z - 2][c] + 4 * from[y][x][z - 1][c] + 6 * from[y][x][z][c] + 4 * from[y][x][z + 1][c] +
                           from[y][x][z + 2][c];
}

int main(void)
{
  static const int size[] = {0, 1, 2, 3, 5, 7, 31, 60};
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 8; k += 1 + (i > 4)) {
      int h = size[i], w = size[k];
      size_t n = (size_t)h * w * LEVELS * 2;
      float *to = calloc(n + 1, sizeof(*to)), *from = malloc((n + 1) * sizeof(*from));
      double sum = 0;
      for (size_t j = 0; j < n; j++)
        from[j] = (float)(j % 97) / 7;
      pairs(h, w, (void *)to, (void *)from);
      for (size_t j = 0; j < n; j++)
        sum += to[j] * (double)(j % 31 + 1);
      printf("%d %d %.17g\n", h, w, sum);
      free(to);
      free(from);
    }
  return 0;
}
