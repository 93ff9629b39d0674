// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bound or pointer that has no value when the nest does not run decides nothing: the branch to our code is well defined.
//
// RUN: %clang -O2 -Wno-uninitialized -Wno-sometimes-uninitialized %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -Wno-uninitialized -Wno-sometimes-uninitialized -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -lm -o %t 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out

// CHECK: loop nest transformed

#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) int bound(int n)
{
  return n * 2;
}

__attribute__((noinline)) int f(int n, int *restrict a)
{
  int m;
  if (n > 0)
    m = bound(n);
  else
    puts("nothing to do");
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[j] += i;
  return puts("done");
}

__attribute__((noinline)) int g(int n, int *a)
{
  int *p, from;
  if (n > 3) {
    p = malloc(n * sizeof(int));
    from = bound(n);
  }
  for (int i = 3; i < n; i++) {
    p[i - 3] = a[i] + from;
    a[i] = p[i - 3] * 2;
  }
  return puts("done");
}

int main(void)
{
  static int a[100];
  f(0, a);
  f(-7, a);
  f(9, a);
  g(0, a);
  g(20, a);
  g(3, a);
  for (int i = 0; i < 100; i++)
    printf("%d\n", a[i]);
}
