// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions in new loops, such as c1 % 4 <= 1 in the loop of c2. LLVM must not learn bits of c1 from them while c2 runs:
// loop invariant code motion would keep an element in a register during that loop, and store it to an address that is right
// where the condition holds alone.
//
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -mllvm -tessera-position=late %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -mllvm -tessera-schedule=original \
// RUN:   -mllvm -tessera-print=ast %s -o %t 2>&1 | %FileCheck %s --check-prefix=AST
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %source-ir %s | %tessera-opt -passes='tessera<force;only=test_half;schedule=original>,verify' | %FileCheck %s --check-prefix=HALF
// RUN: %source-ir %s | %tessera-opt -passes='tessera<force;only=test_bound;schedule=original>,verify' | %FileCheck %s --check-prefix=BOUND

// AST: test_half
// AST: S0(32 * c0 + c1, c2);
// AST-NEXT: if (c1 % 4 <= 1)
// AST: test_bound
// AST: if (c1 <= 15)
// AST: if (c1 >= 6)

// HALF: %tsr.2c = phi i64 [ 0, %{{.*}} ], [ %tsr.next2, %{{.*}} ]
// HALF-NEXT: %[[C1:.*]] = phi i64 [ 0, %{{.*}} ], [ %[[NEXT:.*]], %{{.*}} ]
// HALF: %[[REST:.*]] = srem i64 %tsr.2c, 8
// HALF-NEXT: %[[YES:.*]] = icmp sle i64 %[[REST]], 2
// HALF-NEXT: br i1 %[[YES]]
// HALF: %tsr.next2 = add nsw i64 %tsr.2c, 2
// HALF-NEXT: %[[NEXT]] = add nsw i64 %[[C1]], 1

// BOUND: icmp sle i64 %tsr.2c, 30
// A lower bound tells nothing of a counter that begins at 0.
// BOUND: icmp sge i64 %tsr.c{{[0-9]*}}, 6
#include <stdio.h>

#define TEST __attribute__((noinline))

static float b[34][34];

TEST void test_strides(int m, float *a, double *c)
{
  for (int i = 3; i < m - 1; i += 1)
    for (int j = 1; j < m - 2; j += 2) {
      if (j - i - 1 != 14)
        a[j + 1] = (float)c[j];
      b[i][j + 1] = a[2 * j];
    }
}

TEST void test_half(int n, float *restrict a, double *restrict c)
{
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < n; j++) {
      a[2 * i + 2] = (float)c[j];
      if (i % 4 < 2)
        c[2 * j] = a[2 * i];
    }
}

TEST void test_bound(int n, float *restrict a, double *restrict c)
{
  for (int i = -9; i < 20; i++)
    for (int j = 0; j < n; j++) {
      if (i + 9 <= 15)
        c[j] += a[2 * (i + 25)];
      a[2 * i + 50] = (float)c[j];
      if (i >= -3)
        c[j] += a[2 * i + 6];
    }
}

static float a[100];
static double c[100];

static void report(const char *name, int n)
{
  double sum = 0;
  for (int i = 0; i < 100; i++)
    sum = sum * 1.001 + a[i] * (i + 1) + c[i];
  for (int i = 0; i < 34; i++)
    for (int j = 0; j < 34; j++)
      sum = sum * 0.999 + b[i][j];
  printf("%s %d %.17g\n", name, n, sum);
}

int main(void)
{
  for (int n = 0; n <= 34; n++) {
    for (int i = 0; i < 100; i++) {
      a[i] = (float)(i * 7 % 13);
      c[i] = i * 5 % 17;
    }
    test_strides(n, a, c);
    report("strides", n);
    test_half(n, a, c);
    report("half", n);
    test_bound(n, a, c);
    report("bound", n);
  }
}
