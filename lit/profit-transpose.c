// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transposition reuses nothing but the rest of a line. Tiles were half as fast again at some sizes: it is left alone.
//
// RUN: %clang -O3 -gline-tables-only -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera -S %s -o /dev/null 2>&1 | %FileCheck %s

// CHECK: profit-transpose.c:[[#@LINE+7]]:3: remark: loop nest left as it is: {{.*}} [-Rpass-missed=tessera]
// CHECK-NOT: transformed

double a[1000][1000], b[1000][1000];

void transpose(void)
{
  for (int i = 0; i < 1000; i++)
    for (int j = 0; j < 1000; j++)
      b[i][j] = a[j][i] * 2;
}
