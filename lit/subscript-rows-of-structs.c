// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of structures: their size is a multiple of the number of elements, and the model holds for any of it.
//
// RUN: %clang -O2 -g -S -o /dev/null -fpass-plugin=%plugin -mllvm -tessera-force -Rpass-analysis=tessera %s 2>&1 | %FileCheck %s

// CHECK-COUNT-2: assuming [{{.*}}] -> { {{ *}}:{{ *}}}

struct point {
  double x, y, z;
};

void points(int n, struct point a[restrict n][n], struct point b[restrict n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[j][i].x = b[i][j].y;
}

void channels(int h, int w, float *restrict to, const float *restrict from)
{
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int c = 0; c < 3; c++)
        to[(y * w + x) * 3 + c] = from[(y * w + x) * 3 + c] * 2 + from[(y * w + x) * 3];
}
