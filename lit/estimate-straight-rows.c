// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of five numbers that lie side by side are straight code, of which LLVM computes four at once: in the original, too, so
// that it takes .4 of what it takes number by number, as which it was counted (1.5e+07).
//
// RUN: %clang -O3 -march=znver4 -ffp-contract=off -fpass-plugin=%plugin -Rpass-analysis=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// CHECK: compared, by estimated cost, {{[4-8]([.][0-9]+)?}}e+06 as it is

double rhs[25][25][25][5], u[25][25][25][5], factor;
int points[3];

void dissipate(void)
{
  for (int i = 1; i < points[0] - 1; i++)
    for (int j = 3; j < points[1] - 3; j++)
      for (int k = 1; k < points[2] - 1; k++)
        for (int m = 0; m < 5; m++)
          rhs[i][j][k][m] = rhs[i][j][k][m] - factor * (u[i][j - 2][k][m] - 4.0 * u[i][j - 1][k][m] + 6.0 * u[i][j][k][m] -
                                                        4.0 * u[i][j + 1][k][m] + u[i][j + 2][k][m]);
}
