// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing is stored where the original does not store: behind the elements that are written lies a read-only page.
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

__attribute__((noinline)) void f(int *restrict a, int *restrict b, int n, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (j < m)
        a[j] += i;
      if (i + j < m)
        b[i + j] -= j;
    }
}

int main(void)
{
  char *p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(p + PAGE, PAGE, PROT_READ);
  mprotect(p + 3 * PAGE, PAGE, PROT_READ);
  int *a = (int *)p + PAGE / sizeof(int) - 100, *b = (int *)(p + 2 * PAGE) + PAGE / sizeof(int) - 100;
  f(a, b, 130, 100);
  f(a, b, 7, 99);
  for (int i = 0; i < 100; i++)
    printf("%d %d\n", a[i], b[i]);
}
