// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses to misaligned data stay as careful as they were.
//
// RUN: %clang -O2 %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -lm -o %t 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out
// RUN: %clang -O2 -march=x86-64-v4 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera -c %s -o %t.o 2>&1 \
// RUN:   | %FileCheck %s

// CHECK: loop nest transformed

#include <stdio.h>
#include <string.h>

struct __attribute__((packed)) number {
  int value;
};

__attribute__((noinline)) void f(struct number *restrict a, const struct number *restrict b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[j * n + i].value += b[i * n + j].value * 3;
}

static char a[4001], b[4001];

int main(void)
{
  for (int i = 0; i < 4001; i++)
    b[i] = i % 7;
  f((struct number *)(a + 1), (struct number *)(b + 1), 31);
  f((struct number *)(a + 1), (struct number *)(b + 0), 30);
  for (int i = 0; i < 4001; i++)
    printf("%d\n", a[i]);
}
