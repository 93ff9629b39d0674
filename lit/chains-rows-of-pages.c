// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interleaved chains are in neighbouring rows. Where these are a multiple of pages apart, or nearly, all of them share one
// place in the nearest cache, and chains took up to 3.5 times as long as the loops one by one: the original runs.
//
// RUN: %clang -O3 -DW=1024 -march=znver4 -g -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=SAME
// RUN: %clang -O3 -DW=1022 -march=znver4 -g -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=SAME
// RUN: %clang -O3 -DW=1028 -march=znver4 -g -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=SAME
// RUN: %clang -O3 -DW=1021 -march=znver4 -g -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=APART
// RUN: %clang -O3 -DW=1029 -march=znver4 -g -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=APART
// RUN: %clang -O3 -DW=w -march=znver4 -g -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=APART
// SAME: loop nest left as it is: {{.*}}rows share one place in the cache
// APART: loop nest transformed
//
// How long rows are at run time is asked there.
// RUN: %clang -O3 -DW=w -march=znver4 -fpass-plugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=IR
// IR: [[REST:%[0-9]+]] = srem i64 {{.*}}, 1024
// IR-NEXT: icmp sgt i64 [[REST]], 6
void sums(int h, int w, float a[restrict][W], float b[restrict][W])
{
  (void)w;
  for (int i = 1; i < h; i++)
    for (int j = 1; j < W; j++)
      a[i][j] = b[i][j] + a[i - 1][j] + a[i][j - 1] - a[i - 1][j - 1];
}
