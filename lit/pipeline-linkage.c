// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transformed function keeps its linkage, aliases, section, static variables and strings; one with labels whose address is
// taken stays as it is.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-force -Rpass=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %llvm-nm %t.o | %FileCheck %s --check-prefix=SYMBOLS
// RUN: %clang %t.o -o %t && %t | diff %t.expected -

// CHECK-COUNT-3: loop nest transformed
// SYMBOLS-DAG: W weak
// SYMBOLS-DAG: T other
// SYMBOLS-DAG: T counted
// SYMBOLS-DAG: t hidden

#include <stdio.h>

#define NEST                                                                                                                \
  for (int i = 0; i < n; i++)                                                                                               \
    for (int j = 0; j < n; j++)                                                                                             \
      a[j * n + i] += i - j;

__attribute__((weak, noinline)) void weak(int *a, int n)
{
  NEST
}

__attribute__((noinline, section(".text.special"))) const char *counted(int *a, int n)
{
  static int calls;
  NEST
  return ++calls > 1 ? "again" : "first";
}

void other(int *, int) __attribute__((alias("weak")));

__attribute__((noinline)) static void hidden(int *restrict a, int n)
{
  NEST
}

__attribute__((noinline)) int labels(int *restrict a, int n, int which)
{
  static const void *const to[] = {&&one, &&two};
  NEST
  goto *to[which];
one:
  return 1;
two:
  return 2;
}

void (*volatile pointer)(int *, int) = hidden;

int main(void)
{
  static int a[400];
  weak(a, 20);
  other(a, 19);
  pointer(a, 18);
  printf("%s %s", counted(a, 17), counted(a, 16));
  printf(" %d %d\n", labels(a, 15, 0), labels(a, 14, 1));
  for (int i = 0; i < 400; i++)
    printf("%d\n", a[i]);
}
