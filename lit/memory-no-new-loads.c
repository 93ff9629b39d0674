// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing is loaded that the original does not load: arrays end at a page that can not be read.
//
// RUN: %clang -O2 %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -lm -o %t 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out

// CHECK: loop nest transformed

#include <stdio.h>
#include <sys/mman.h>

#define PAGE 4096

__attribute__((noinline)) void f(int *restrict a, const int *restrict b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      a[i] += b[n - 1 - j] + b[i];
}

int main(void)
{
  char *p = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(p, PAGE, PROT_NONE);
  mprotect(p + 2 * PAGE, PAGE, PROT_NONE);
  static int a[1024];
  int *first = (int *)(p + PAGE), *end = (int *)(p + 2 * PAGE);
  for (int i = 0; i < PAGE / 4; i++)
    first[i] = i * i;
  for (int n = 1; n < 70; n += 3)
    f(a, end - n, n);
  f(a, first, 67);
  for (int i = 0; i < 70; i++)
    printf("%d\n", a[i]);
}
