// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter that is narrower than its bound would wrap around before it got to a large one: the bound is checked. Where it
// can't, all iterations run, also with steps, from other starts, and none at all.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -g -Rpass=tessera -Rpass-missed=tessera \
// RUN:   -Rpass-analysis=tessera -mllvm -tessera-only='^nest' %s -o %t 2>&1 | %FileCheck %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late -g -Rpass=tessera \
// RUN:   -mllvm -tessera-only='^nest' %s -o %t.late 2>&1 | %FileCheck --check-prefix=LATE %s
// RUN: %t.late > %t.out
// RUN: diff %t.expected %t.out

#include <stddef.h>
#include <stdio.h>

// CHECK: narrow-counters.c:[[# @LINE + 6]]:3: remark: loop nest modelled: {{.*}} assuming [n] -> {  : 0 <= n <= 2147483647 }
// CHECK: narrow-counters.c:[[# @LINE + 5]]:3: remark: loop nest transformed
// LATE: narrow-counters.c:[[# @LINE + 4]]:3: remark: loop nest transformed

__attribute__((noinline)) void nest_int(double *restrict a, double *restrict b, size_t n)
{
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++)
      a[i * n + j] += b[j * n + i];
}

// CHECK: narrow-counters.c:[[# @LINE + 7]]:3: remark: loop nest modelled: {{.*}} n <= 255
// CHECK: narrow-counters.c:[[# @LINE + 6]]:3: remark: loop nest transformed
// LATE: narrow-counters.c:[[# @LINE + 5]]:3: remark: loop nest transformed

// A loop that goes on for ever past 255.
__attribute__((noinline)) void nest_char(double *restrict a, double *restrict b, int n)
{
  for (unsigned char i = 3; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] += b[j * n + i];
}

// The counter's next value must be in its range, too.
// CHECK: narrow-counters.c:[[# @LINE + 5]]:3: remark: loop nest transformed
// LATE: narrow-counters.c:[[# @LINE + 4]]:3: remark: loop nest transformed

__attribute__((noinline)) void nest_step(double *restrict a, double *restrict b, size_t n, unsigned from)
{
  for (unsigned i = from; i < n; i += 3)
    for (size_t j = 0; j < n; j++)
      a[i * n + j] += b[j * n + i];
}

// Another start.
// CHECK: narrow-counters.c:[[# @LINE + 5]]:3: remark: loop nest transformed
// LATE: narrow-counters.c:[[# @LINE + 4]]:3: remark: loop nest transformed

__attribute__((noinline)) void nest_from(double *restrict a, double *restrict b, int n, unsigned char from)
{
  for (unsigned char i = from; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] += b[j * n + i];
}

// A bound in front.
// CHECK: narrow-counters.c:[[# @LINE + 5]]:3: remark: loop nest transformed
// LATE: narrow-counters.c:[[# @LINE + 4]]:3: remark: loop nest transformed

__attribute__((noinline)) void nest_turned(double *restrict a, double *restrict b, size_t n)
{
  for (unsigned short i = 0; n > i; i++)
    for (size_t j = 0; j < n; j++)
      a[i * n + j] += b[j * n + i];
}

static double a[300 * 300], b[300 * 300];

static void show(const char *name, int n)
{
  double sum = 0;
  for (int i = 0; i < 300 * 300; i++)
    sum = sum * 0.999 + a[i];
  printf("%s %d %.17g\n", name, n, sum);
}

int main(void)
{
  static const int sizes[] = {0, 1, 2, 3, 4, 5, 100, 252, 253, 254, 255};
  for (int i = 0; i < 300 * 300; i++)
    b[i] = i % 97;
  for (int k = 0; k < 11; k++) {
    int n = sizes[k];
    nest_int(a, b, n);
    show("int", n);
    nest_char(a, b, n);
    show("char", n);
    nest_step(a, b, n, k % 3);
    nest_step(a, b, n, 200);
    show("step", n);
    nest_from(a, b, n, k % 3);
    nest_from(a, b, n, 200);
    show("from", n);
    nest_turned(a, b, n);
    show("turned", n);
  }
  nest_int(a, b, 300);
  nest_turned(a, b, 300);
  show("large", 300);
  return 0;
}
