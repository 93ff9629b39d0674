// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Late in the pipeline the taps of a filter are one long statement, of which each lane would load each number on its own: no
// more lanes than code of moderate size has. With 64 of them LLVM took minutes.
//
// RUN: %clang -O3 -march=x86-64-v4 -fpass-plugin=%plugin -mllvm -tessera-position=late -Rpass=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// CHECK: remark: loop nest transformed: {{.*}} in lanes of 1x

#define AROUND(x, n) ((x) < 0 ? (x) + (n) : (x) >= (n) ? (x) - (n) : (x))

void filter(int h, int w, float x[restrict h][w])
{
  for (int i = 0; i < h; i++)
    for (int j = 0; j < (w + 1) / 2; j++) {
      float s = 0;
      for (int y = -2; y <= 2; y++)
        for (int k = -2; k <= 2; k++)
          s += x[i][j] + x[i][AROUND(j + k, w)] + x[i][j] * 2;
      x[i][j] = s;
    }
}
