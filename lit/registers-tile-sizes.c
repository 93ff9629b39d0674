// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tile sizes that the user asks for are those of the tiles: no register tiles.
//
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-machine=znver4 -mllvm -tessera-force -mllvm -tessera-print=ast \
// RUN:   -mllvm -tessera-tile-sizes=16,8,4 -c %s -o /dev/null 2>&1 | %FileCheck %s

// CHECK: tessera: gemm.0
// CHECK-NOT: registers
// CHECK: // vector
// CHECK-NOT: registers

void gemm(int n, double (*restrict c)[1000], double (*restrict a)[1000], double (*restrict b)[1000])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}
