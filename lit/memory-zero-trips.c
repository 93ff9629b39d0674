// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing is loaded or stored if a loop runs no iteration: the pointers lead nowhere then.
//
// RUN: %clang -O2 %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -lm -o %t 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out

// CHECK: loop nest transformed

#include <stdio.h>
#include <sys/mman.h>

__attribute__((noinline)) void f(double *a, const double *b, const double *scale, int n, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i * m + j] += b[j] * *scale;
}

__attribute__((noinline)) void g(double *a, const double *b, const double *scale, int n, int from)
{
  for (int i = 0; i < n; i++)
    if (i >= from)
      for (int j = 0; j < n; j++)
        a[j] += b[j] * *scale;
}

static double a[100], b[100];

int main(void)
{
  double *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), two = 2;
  f(nowhere, nowhere, nowhere, 10, 0);
  f(nowhere, nowhere, nowhere, 0, 10);
  f(nowhere, nowhere, nowhere, -1, -10);
  f(NULL, NULL, NULL, 10, -1);
  g(nowhere, nowhere, nowhere, 10, 10);
  g(NULL, nowhere, NULL, 0, 0);
  for (int i = 0; i < 100; i++)
    b[i] = i;
  f(a, b, &two, 10, 10);
  g(a, b, &two, 10, 7);
  for (int i = 0; i < 100; i++)
    printf("%g\n", a[i]);
}
