// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function that calls setjmp stays as it is, and a remark says so; its neighbours and callees are transformed.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera -Rpass-missed=tessera %s \
// RUN:   -mllvm -tessera-only='guarded|fill' -o %t 2>&1 | %FileCheck %s
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK-DAG: :[[#@LINE + 21]]:{{.*}}remark: loop nest not modelled: function that calls setjmp{{.*}}: {{_?}}setjmp; suggestion
// CHECK-DAG: :[[#@LINE + 10]]:{{.*}}remark: loop nest transformed

#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;
static double a[1000];

__attribute__((noinline)) void fill(double *x, int n, int limit)
{
  for (int i = 0; i < n; i++)
    x[i] = i * 0.5;
  if (limit)
    longjmp(back, 1);
}

__attribute__((noinline)) double guarded(volatile int *rounds)
{
  int again = setjmp(back);
  *rounds = *rounds + 1;
  for (int i = 0; i < 1000; i++)
    a[i] = a[i] * 2 + again;
  if (*rounds < 4)
    fill(a, 700, 1);
  return a[*rounds] + a[999];
}

int main(void)
{
  volatile int rounds = 0;
  double x = guarded(&rounds);
  printf("%a %d\n", x, rounds);
}
