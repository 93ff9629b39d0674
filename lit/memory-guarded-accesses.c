// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a condition on data guards is neither loaded nor stored where the condition doesn't hold: behind the elements in
// use lie a page that can't be read and one that can't be written.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -o %t 2>&1 | %FileCheck %s
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-tile-sizes=8 %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK-COUNT-3: loop nest transformed

#include <stdio.h>
#include <sys/mman.h>

#define PAGE 4096

__attribute__((noinline)) void load(int *restrict to, const int *restrict from, const int *restrict mask, int n)
{
  for (int i = 0; i < n; i++)
    if (mask[i])
      to[i] += from[i];
}

__attribute__((noinline)) void store(int *restrict to, const int *restrict mask, int n)
{
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < n; i++)
      if (mask[i] > k)
        to[i] = k * mask[i];
}

__attribute__((noinline)) int sum(const int *restrict from, const int *restrict mask, int n, int *restrict out)
{
  int s = 0;
  for (int i = 0; i < n; i++) {
    switch (mask[i]) {
    case 1:
    case 2:
      s += from[i];
      break;
    case 3:
      s -= from[i];
    }
    out[i] = s;
  }
  return s;
}

int mask[300], to[300], out[300];

int main(void)
{
  char *p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(p + PAGE, PAGE, PROT_NONE);
  mprotect(p + 3 * PAGE, PAGE, PROT_READ);
  int *from = (int *)(p + PAGE) - 200, *into = (int *)(p + 3 * PAGE) - 200;
  for (int i = 0; i < 200; i++) {
    mask[i] = i * i % 7;
    from[i] = i;
  }
  load(to, from, mask, 300);
  store(into, mask, 300);
  printf("%d\n", sum(from, mask, 300, out));
  for (int i = 0; i < 200; i++)
    printf("%d %d %d\n", to[i], into[i], out[i]);
}
