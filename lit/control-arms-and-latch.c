// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arms of a branch meet behind the loop around it, if one of them returns: that is no condition in the loop's body.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only \
// RUN:   -Rpass=tessera -Rpass-missed=tessera %s -o %t 2>&1 | %FileCheck %s --implicit-check-not='internal error'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out

#include <stdio.h>

// CHECK-DAG: [[@LINE+13]]:5: remark: loop nest transformed
__attribute__((noinline)) int test_return(int n, double *x, long limit, long step)
{
  int left = 3;
  long at = 0;
  do {
    x[0] += 1;
    if (at <= limit) {
      if (left == 0)
        return n;
      left--;
      at += step;
    }
    for (int i = 0; i < n; i++)
      x[i] += 1;
    at -= 1;
  } while (1);
}

// CHECK-DAG: [[@LINE+10]]:7: remark: loop nest transformed
// CHECK-DAG: [[@LINE+16]]:5: remark: loop nest transformed
__attribute__((noinline)) int test_counted(int n, double *x, long limit, long step)
{
  int count = 0, left = 3;
  long at = 0;
  do {
    x[0] += 1;
    if (at > limit) {
    } else if (left > 0) {
      for (int i = 0; i < n; i++)
        count++;
      left--;
      at += step;
    } else {
      return count;
    }
    for (int i = 0; i < n; i++)
      x[i] += 1;
    n = count > 20 ? 20 : count;
    at -= 1;
  } while (1);
}

struct state {
  int at, left;
};

__attribute__((noinline)) static void advance(struct state *s, int step)
{
  s->at += step;
  s->left -= step > 0;
  __asm__ volatile("" ::: "memory");
}

// CHECK-DAG: [[@LINE+11]]:5: remark: loop nest transformed
__attribute__((noinline)) void test_memory(int n, double *restrict x, struct state *restrict s)
{
  do {
    advance(s, -1);
    if (s->at <= 3) {
      if (s->left == 0)
        return;
      x[n] += 1;
      advance(s, 4);
    }
    for (int i = 0; i < n; i++)
      x[i] += 1;
  } while (1);
}

// The second nest is entered from the other arm, too.
// CHECK-DAG: [[@LINE+8]]:7: remark: loop nest transformed
// CHECK-DAG: [[@LINE+15]]:5: remark: loop nest transformed
__attribute__((noinline)) void test_entered(int n, double *restrict x, int limit, int step)
{
  int left = 4, at = 0;
  do {
    double last = 3;
    if (at > limit) {
      for (int i = 0; i < n; i++)
        x[i] = last = x[i] * 2;
    } else {
      if (left == 0)
        return;
      left--;
      at += step;
    }
    for (int i = 0; i < n; i++)
      x[i] += last;
    at -= 2;
  } while (1);
}

int main(void)
{
  struct state s = {5, 9};
  double x[40] = {0};
  printf("%d\n", test_return(20, x, 3, 7));
  printf("%d\n", test_counted(15, x, 2, 5));
  test_memory(17, x, &s);
  test_entered(14, x, 2, 5);
  for (int i = 0; i < 40; i++)
    printf("%g\n", x[i]);
}
