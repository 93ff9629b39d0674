// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads outside of a SCoP that decide how often a loop there runs, or are added up there, may give another value each time:
// nothing is believed of what comes out of it. The start of a counter of a loop around is loaded once.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only \
// RUN:   -Rpass=tessera -Rpass-missed=tessera %s -o %t 2>&1 | %FileCheck %s --implicit-check-not='internal error'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out

#include <stdio.h>

struct size {
  long n;
};

__attribute__((noinline)) static void set(struct size *a, long n)
{
  a->n = n;
  __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void touch(double *x)
{
  x[0] += 1;
  __asm__ volatile("" ::: "memory");
}

// The first loop's bound, when it ran, is not the second's offset.
// CHECK: [[@LINE+6]]:3: remark: loop nest not modelled: pointer or bound that is read from memory
__attribute__((noinline)) void test_loop_in_front(struct size *restrict a, double *restrict x, long k)
{
  long i = 0;
  do { touch(x); i++; } while (i < a->n);
  set(a, k);
  for (long j = 0; j < i; j++)
    x[j + a->n] += 1;
}

// The bound changes while the first loop runs.
// CHECK: [[@LINE+5]]:3: remark: loop nest not modelled: pointer or bound that is read from memory
__attribute__((noinline)) void test_changing_bound(struct size *restrict a, double *restrict x, long k)
{
  long i = 0;
  do { set(a, --k); i++; } while (i < a->n);
  for (long j = 0; j < i; j++)
    x[j + a->n] += 1;
}

// Each addend is another one.
// CHECK: [[@LINE+7]]:5: remark: loop nest not modelled: pointer or bound that is read from memory
__attribute__((noinline)) void test_sum(struct size *restrict a, double *restrict x, long k)
{
  long sum = 0;
  for (long i = 0; i < k; i++) {
    set(a, k - i);
    sum += a->n;
    for (long j = 0; j < a->n; j++)
      x[sum + j] += 1;
  }
}

// Counted from what was loaded once.
// CHECK: [[@LINE+7]]:5: remark: loop nest transformed
// CHECK: [[@LINE+10]]:3: remark: loop nest transformed
__attribute__((noinline)) void test_start(struct size *restrict a, double *restrict x, long k)
{
  long left = a->n, at = 0;
  do {
    touch(x);
    for (long j = 0; j < k; j++)
      x[at + j] += 1;
    at++;
  } while (--left > 0);
  for (long i = 0; i < 2; i++)
    for (long j = 0; j < a->n; j++)
      x[j] *= 2;
}

int main(void)
{
  static double x[200];
  struct size a = {4};
  test_loop_in_front(&a, x, 6);
  test_changing_bound(&a, x + 50, 11);
  test_sum(&a, x + 100, 5);
  set(&a, 7);
  test_start(&a, x + 150, 9);
  for (int i = 0; i < 200; i++)
    printf("%g\n", x[i]);
}
