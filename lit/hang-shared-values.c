// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that are used twice, again and again, are looked at once: this expression has 2^30 paths.
//
// RUN: timeout 60 %clang -O2 -fpass-plugin=%plugin -Rpass-missed=tessera -Rpass=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// CHECK: remark: loop nest {{transformed|left as it is}}

#define MIX x ^= x << 7; x += x >> 9; x *= x | 1;
#define MIX5 MIX MIX MIX MIX MIX

void mix(int n, unsigned (*restrict a)[1000], const unsigned (*restrict b)[1000])
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      unsigned x = b[i][j];
      MIX5 MIX5
      a[i][j] += x;
    }
}
