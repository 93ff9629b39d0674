// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop that runs once, in one that has a condition of its own counter: the counter doubled for that condition (see
// control-guards.c) gets its next value, whatever else is bound in the loop.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -o %t.new 2> %t.log
// RUN: %FileCheck %s --implicit-check-not="internal error" --input-file=%t.log
// RUN: %t.new | diff %t.expected -

// CHECK: loop nest transformed

#include <stdio.h>
#define N 100
unsigned char table[2], spread[N + 2];

__attribute__((noinline)) unsigned long fill(unsigned log, unsigned long from)
{
  unsigned long n = 1u << log;
  unsigned long position = from, all = 0;
  for (unsigned long s = 0; s < n; s += 2) {
    for (unsigned long u = 0; u < 2; u++)
      table[position & 1] = spread[s + u];
    position = 1;
  }
  return all + position;
}

int main(void)
{
  for (int i = 0; i < N + 2; i++)
    spread[i] = (unsigned char)(i * 7 + 3);
  for (unsigned log = 0; log <= 6; log++)
    for (unsigned long from = 0; from < 3; from++) {
      table[0] = table[1] = 0;
      unsigned long position = fill(log, from);
      printf("%u %lu: %lu %d %d\n", log, from, position, table[0], table[1]);
    }
}
