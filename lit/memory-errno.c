// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call in the loop sets errno as before, and only then.
//
// RUN: %clang -O2 -fmath-errno %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fmath-errno -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -lm -o %t 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out

// CHECK: loop nest transformed

#include <errno.h>
#include <math.h>
#include <stdio.h>

__attribute__((noinline)) void f(double *restrict a, const double *restrict b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[j * n + i] = sqrt(b[i * n + j]) + exp(b[j * n + i]);
}

static double a[400], b[400];

int main(void)
{
  for (int i = 0; i < 400; i++)
    b[i] = i;
  errno = 7;
  f(a, b, 20);
  printf("%d %g\n", errno == 7, a[27]);
  b[250] = -1;
  f(a, b, 15);
  printf("%d %g\n", errno == EDOM, a[27]);
  errno = 0;
  f(a, b, 15);
  printf("%d\n", errno == EDOM);
  errno = 0;
  b[250] = 1000;
  f(a, b, 20);
  printf("%d %g\n", errno == ERANGE, a[250]);
}
