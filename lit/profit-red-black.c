// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Red and black points in turn: the innermost loop runs every other time, and no iteration of it waits for another. A loop of
// stride 2 in its place gains nothing, and neither do several rows at once.
//
// RUN: %clang -O3 -march=znver4 -fpass-plugin=%plugin -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o /dev/null 2>&1 \
// RUN:   | %FileCheck %s --implicit-check-not=transformed

// CHECK: loop nest left as it is: the estimated cost is not lower

#define N 1000
double grid[N + 2][N + 2];

void red_black(int steps, int n)
{
  for (int k = 0; k < steps; k++)
    for (int color = 0; color < 2; color++)
      for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++)
          if ((i + j) % 2 == color)
            grid[i][j] = 0.25 * (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]);
}
