// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements named by a mask of a few bits, a[j % 4]: LLVM 22's loop vectoriser takes them for neighbours where j is narrower than
// a pointer, so that it must leave new loops with them alone. (It does so in loops of any compilation, with enough iterations.)
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

TEST void test_plain(unsigned n, float *restrict a, float *restrict b)
{
  for (unsigned j = 0; j < n; j++)
    b[j + 4] = a[j] * 2;
}

int main(void)
{
  float a[300], b[300];
  for (unsigned n = 0; n < 40; n++) {
    for (int i = 0; i < 300; i++) {
      a[i] = (float)i;
      b[i] = 0;
    }
    test_masked(n, a, b);
    test_plain(n, b, a);
    float sum = 0;
    for (int i = 0; i < 300; i++)
      sum = sum * 0.5f + a[i] + b[i] * (float)i;
    printf("%u %.9g\n", n, (double)sum);
  }
}
