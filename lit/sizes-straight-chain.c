// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of few, known iterations are straight code, and mostly vectors of that. Not where they add up to one element, and the
// loop around them to the same: a convolution over channels with filters of 3 x 3 isn't taken for as fast as that, and changed
// from some width on. Where the loop around moves the element, clang makes vectors along that: a filter is left alone.
//
// RUN: %clang -O2 -march=x86-64-v3 -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// CHECK: [[@LINE+6]]:3: remark: loop nest transformed: {{.*}}; runs where p_{{[0-9]+}} >= {{[1-9][0-9]}} and {{.*}}[-Rpass
// CHECK: [[@LINE+17]]:3: remark: loop nest left as it is

void convolution(int n, int m, int channels, float in[restrict channels][n + 2][m + 2], float filter[restrict channels][3][3],
                 float out[restrict n][m])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      out[i][j] = 0;
      for (int k = 0; k < channels; k++)
        for (int y = 0; y < 3; y++)
          for (int x = 0; x < 3; x++)
            out[i][j] += in[k][i + y][j + x] * filter[k][y][x];
    }
}

void rows(int n, int m, float in[restrict n][m + 8], float taps[restrict 8], float out[restrict n][m])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      out[i][j] = 0;
      for (int t = 0; t < 8; t++)
        out[i][j] += taps[t] * in[i][j + t];
    }
}
