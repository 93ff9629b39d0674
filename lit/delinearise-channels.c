// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of pixels of a few channels: the row's stride is taken for 3 * n elements, not for rows of n at a distance of 3, for which
// nearly all sizes would have to be excluded.
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-dump=%t -c %s -o /dev/null
// RUN: %FileCheck %s < %t/f.0.scop
// CHECK:     assumed: "[{{.*}}] -> {  : {{[a-z_0-9]*}} >= -2147483644 }"
// CHECK:     extent: "[{{[a-z_0-9]*}}] -> { [[A:[a-z_0-9A-Z]*]][i0, i1, i2] : 0 <= i1 < {{[a-z_0-9]*}} and 0 <= i2 <= 2 }"
void f(int h, int w, float in[h][w][3], float out[restrict h][w][3])
{
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w - 4; j++)
      for (int c = 0; c < 3; c++)
        out[i][j][c] = in[i][j][c] * 2;
}
