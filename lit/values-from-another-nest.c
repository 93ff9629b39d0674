// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A nest whose parameter is computed in another nest: scalar evolution looks through the phi between them, and the new code
// of the second must not use what only the original of the first computes.
//
// RUN: %clang -O2 %s -o %t && %t > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -Rpass=tessera -Rpass-missed=tessera %s -o %t 2>&1 \
// RUN:   | %FileCheck %s --implicit-check-not=broken
// RUN: %t > %t.out && diff %t.expected %t.out
// CHECK: loop nest transformed

#include <stdio.h>

__attribute__((noinline)) static int select_row(signed char *out, signed char rows[4][16], const int *rate, int n)
{
  int best = 2147483647, row = 0;
  for (int j = 0; j < 8; j++)
    if (best > rate[j]) {
      best = rate[j];
      row = j;
    }
  for (int j = 0; j < n; j++)
    out[j] = rows[row & 3][j];
  out[0] += row >> 2;
  return best;
}

int main(void)
{
  signed char rows[4][16], out[16] = {0};
  int rate[8], sum = 0;
  for (int i = 0; i < 16; i++)
    for (int k = 0; k < 4; k++)
      rows[k][i] = (signed char)(i * k + 3);
  for (int n = 0; n <= 16; n++) {
    for (int i = 0; i < 8; i++)
      rate[i] = (i + n) * 5 % 8 - 5;
    sum += select_row(out, rows, rate, n);
    for (int i = 0; i < 16; i++)
      sum = sum * 3 + out[i];
    printf("%d\n", sum);
  }
  return 0;
}
