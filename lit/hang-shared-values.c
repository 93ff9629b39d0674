// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that are used twice, again and again, are looked at once: this expression has 2^30 paths, but few enough values to be
// computed for vectors.
//
// RUN: rm -f %t.txt
// RUN: %clang -O2 -march=x86-64-v4 -fpass-plugin=%plugin -mllvm -tessera-budget=1000000 -mllvm -tessera-statistics=%t.txt \
// RUN:   -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=OPERATIONS < %t.txt
//
// CHECK: [[#@LINE+11]]:3: remark: loop nest transformed: rescheduled, 1 loops marked independent, 0 parallel;
// CHECK: [[#@LINE+20]]:3: remark: loop nest transformed: {{.*}}, register tiles of 6x4 vectors of 16 with 2 packed operands;
// CHECK-NOT: remark:
// Fewer than a million.
// OPERATIONS: operations={{([0-9]{1,6})}} Modelled=2 Transformed=2{{$}}

#define MIX x ^= x << 7; x += x >> 9; x *= x | 1;
#define MIX10 MIX MIX MIX MIX MIX MIX MIX MIX MIX MIX

void mix(int n, unsigned (*restrict a)[1000], const unsigned (*restrict b)[1000])
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      unsigned x = b[i][j];
      MIX10
      a[i][j] += x;
    }
}

void product(int n, unsigned *restrict c, const unsigned *restrict a, const unsigned *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        unsigned x = a[i * n + k] * b[k * n + j];
        MIX10
        c[i * n + j] += x;
      }
}
