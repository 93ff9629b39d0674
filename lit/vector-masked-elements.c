// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements named by a mask of a few bits, a[j % 4]: LLVM 22's loop vectoriser takes them for neighbours where j is narrower than
// a pointer, so that it must leave new loops with them alone, at any depth, and those that stay beside them. (It does so in
// loops of any compilation, with enough iterations.)
//
// RUN: %source-ir %s | %tessera-opt -passes='tessera<force;only=test_masked>,verify' | %FileCheck %s --check-prefix=MASKED
// RUN: %source-ir %s -DHINT | %tessera-opt -passes='tessera<force;only=test_masked>,verify' | %FileCheck %s --check-prefix=MASKED
// RUN: %source-ir %s | %tessera-opt -passes='tessera<force;only=test_plain>,verify' | %FileCheck %s --check-prefix=PLAIN
// RUN: %clang -O0 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out

// MASKED: br i1 {{.*}}label %tsr.loop{{[0-9]+}}, label %tsr.behind{{[0-9]+}}, !llvm.loop ![[LOOP:[0-9]+]]
// MASKED: ![[LOOP]] = distinct !{![[LOOP]], {{.*}}, ![[NO:[0-9]+]]}
// MASKED: ![[NO]] = !{!"llvm.loop.vectorize.enable", i1 false}
// PLAIN-NOT: vectorize.enable
// PLAIN: br i1 {{.*}}label %tsr.loop{{[0-9]+}}, label %tsr.behind{{[0-9]+}}, !llvm.loop
// PLAIN-NOT: vectorize.enable
//
// Where an inner loop runs once, the outer one is left: in new code,
// RUN: %source-ir %s | %tessera-opt -passes='tessera<force;only=test_nest>,verify' | %FileCheck %s --check-prefix=NEST
// NEST: tsr.new:
// NEST: br i1 {{.*}}label %tsr.loop{{[0-9]*}}, label %tsr.behind{{[0-9]*}}, !llvm.loop ![[INNER:[0-9]+]]
// NEST: br i1 {{.*}}label %tsr.loop{{[0-9]*}}, label %tsr.behind{{[0-9]*}}, !llvm.loop ![[OUTER:[0-9]+]]
// NEST: ![[INNER]] = distinct !{![[INNER]], {{.*}}, ![[NO:[0-9]+]]}
// NEST: ![[NO]] = !{!"llvm.loop.vectorize.enable", i1 false}
// NEST: ![[OUTER]] = distinct !{![[OUTER]], {{.*}}, ![[NO]]}
//
// and in the original, here in a version for the arguments of the call.
// RUN: %source-ir %s | %tessera-opt -passes='tessera<force;only=test_kept>,verify' | %FileCheck %s --check-prefix=KEPT
// KEPT-LABEL: @test_kept(
// KEPT: br i1 {{.*}}label %tsr.new
// KEPT: br i1 {{.*}}!llvm.loop ![[FREE:[0-9]+]]
// KEPT: br i1 {{.*}}!llvm.loop ![[OUTER:[0-9]+]]
// KEPT: br i1 {{.*}}!llvm.loop ![[INNER:[0-9]+]]
// KEPT: tsr.new:
// KEPT: ![[FREE]] = distinct !{![[FREE]], ![[PROGRESS:[0-9]+]], ![[DONE:[0-9]+]]}
// KEPT: ![[OUTER]] = distinct !{![[OUTER]], ![[PROGRESS]], ![[DONE]], ![[NONE:[0-9]+]]}
// KEPT: ![[NONE]] = !{!"llvm.loop.vectorize.enable", i32 0}
// KEPT: ![[INNER]] = distinct !{![[INNER]], ![[PROGRESS]], ![[DONE]], ![[NONE]]}
#include <stdio.h>

#define TEST __attribute__((noinline))

TEST void test_masked(unsigned n, float *restrict a, float *restrict b)
{
#ifdef HINT
#pragma clang loop vectorize(enable)
#endif
  for (unsigned j = 0; j < n; j++)
    b[j + 4] = a[j % 4];
}

TEST void test_nest(unsigned n, unsigned m, float (*restrict a)[4], float (*restrict b)[9])
{
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < m; j++)
      b[j][i] = a[j][i % 4];
}

TEST void test_kept(int n, int m, int ld, int *a, int (*b)[44])
{
  for (int i = 5; i < (n + 2) / 8; i++)
    a[(m - i + 10) * ld + i] = a[(i + 1) * ld + 3 * i + 1];
  for (int i = 0; i < m - 1; i++)
    for (int j = 1; j < n; j++)
      a[(((i + j) & 3) + j) * ld + i + j + 1] = a[(((i + j) & 3) + j + 1) * ld + i + j + 1] + b[2][j - 1];
}

TEST void test_plain(unsigned n, float *restrict a, float *restrict b)
{
  for (unsigned j = 0; j < n; j++)
    b[j + 4] = a[j] * 2;
}

__attribute__((optnone)) TEST void call_kept(int *a, int *b)
{
  test_kept(2, 26, 1, a, (int (*)[44])b);
}

int main(void)
{
  static int c[300], d[300];
  for (int i = 0; i < 300; i++) {
    c[i] = i * i % 67;
    d[i] = i % 13;
  }
  call_kept(c, d);
  for (int i = 0; i < 40; i++)
    printf("%d ", c[i]);
  float a[300], b[300];
  for (unsigned n = 0; n < 40; n++) {
    for (int i = 0; i < 300; i++) {
      a[i] = (float)i;
      b[i] = 0;
    }
    test_masked(n, a, b);
    test_plain(n, b, a);
    test_nest(n % 10, n % 7, (float (*)[4])a, (float (*)[9])b);
    float sum = 0;
    for (int i = 0; i < 300; i++)
      sum = sum * 0.5f + a[i] + b[i] * (float)i;
    printf("%u %.9g\n", n, (double)sum);
  }
}
