// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// isl looks for loops whose statements run at one stride and different offsets, and took the offset of statements that no
// parameter values have in common with the others for 0: what is stored in a row was then the value of the next one.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=rows -mllvm -tessera-dump=%t %s -o %t/new
// RUN: %clang -O1 %s -o %t/plain && %t/plain > %t/expected && %t/new > %t/out && diff %t/expected %t/out
// RUN: %tessera --force --until=run --print=none --params=p_0=8,p_2=0,p_6=1 %t/rows.0.scop 2>&1 | %FileCheck %s
// CHECK: run: same memory at 1 parameter value

#include <stdio.h>

__attribute__((noinline)) void rows(unsigned long n, unsigned long m, unsigned p, unsigned A[][n], unsigned *out)
{
  unsigned s = 1;
  for (unsigned i = 0; i < p + 1; i += 1) {
    s = A[i][0];
    for (unsigned long j = 2; j < (2 * m + 1) / 2; j += 1) {
      if (i + 2 * j != 4)
        A[i][0] = 4;
      s -= A[n - i + 37][0];
    }
    A[i][0] = s;
  }
  out[0] = s;
}

static unsigned memory[3000], out;

int main(void)
{
  for (unsigned long m = 0; m < 6; m++)
    for (unsigned p = 0; p < 30; p++)
      for (unsigned long n = 1; n < 3; n++) {
        unsigned hash = 0;
        for (unsigned i = 0; i < 3000; i++)
          memory[i] = i * 2654435761u;
        rows(n, m, p, (void *)memory, &out);
        for (unsigned i = 0; i < 3000; i++)
          hash = hash * 31 + memory[i];
        printf("%lu %u %lu %u %u\n", m, p, n, hash, out);
      }
}
