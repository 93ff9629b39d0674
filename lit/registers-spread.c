// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex numbers, conjugated or not, lie two by two: a tile picks parts of them from pairs of vectors, and leaves registers for
// that. Of 12 x 2 vectors some sums went to memory and back. The same bit for bit.
//
// RUN: %clang -O3 -march=x86-64-v4 -mllvm -tessera-machine=znver4 -ffp-contract=off -fpass-plugin=%plugin -Rpass=tessera -mllvm -tessera-only=solve -c %s -o /dev/null 2>&1 | %FileCheck %s
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin %s -o %t && %t | diff %t.expected -
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t | diff %t.expected -
//
// CHECK: remark: loop nest transformed: {{.*}}register tiles of 6x3 vectors of 8
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* b[j] -= a[k][j] * b[k] for all j < k, backwards; a is conjugated unless it is to KEEP. */
__attribute__((noinline)) void solve(int m, int n, bool keep, double (*restrict a)[n][2], double (*restrict b)[m][2])
{
  for (int k = n - 1; k >= 0; k--)
    for (int j = 0; j < k; j++) {
      double re = a[k][j][0], im = keep ? a[k][j][1] : -a[k][j][1];
      for (int i = 0; i < m; i++) {
        b[j][i][0] -= re * b[k][i][0] - im * b[k][i][1];
        b[j][i][1] -= re * b[k][i][1] + im * b[k][i][0];
      }
    }
}

int main(void)
{
  static const int size[][2] = {{1, 1}, {3, 3}, {17, 5}, {5, 97}, {130, 2}, {100, 113}, {241, 200}};
  for (int s = 0; s < 14; s++) {
    int m = size[s / 2][0], n = size[s / 2][1];
    double *a = malloc(16L * n * n), *b = malloc(16L * n * m), sum = 0;
    for (int i = 0; i < 2 * n * n; i++)
      a[i] = (i % 13 - 6) / 256.0;
    for (int i = 0; i < 2 * n * m; i++)
      b[i] = 1 + i % 7;
    solve(m, n, s % 2, (double (*)[n][2])a, (double (*)[m][2])b);
    for (int i = 0; i < 2 * n * m; i++)
      sum += b[i] * (1 + i % 3);
    printf("%d %d %a\n", m, n, sum);
    free(a);
    free(b);
  }
}
