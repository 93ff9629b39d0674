// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a SCoP writes before it reads it isn't copied to the GPU: here 800 bytes of x are, and none of t, of which 792 come back.
// REQUIRES: ptx
// UNSUPPORTED: asan
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.want
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-gpu -mllvm -tessera-force -mllvm -tessera-only=smooth %s %runtime -o %t
// RUN: env LD_LIBRARY_PATH=%interpreter TESSERA_RT_TRACE=1 %t > %t.out 2> %t.err && cmp %t.out %t.want
// RUN: %FileCheck %s --implicit-check-not=ptx: --input-file=%t.err

// CHECK: 800 bytes in, 1576 out;
#include <stdio.h>

enum { N = 100 };
static double x[N], t[N], y[N];

__attribute__((noinline)) void smooth(int n, const double *restrict x, double *restrict t, double *restrict y)
{
  for (int i = 0; i < n - 1; i++)
    t[i] = x[i] + x[i + 1];
  for (int i = 0; i < n - 2; i++)
    y[i] = t[i] * t[i + 1];
}

int main(void)
{
  for (int i = 0; i < N; i++) {
    x[i] = i / 3.0;
    t[i] = y[i] = -i;
  }
  smooth(N, x, t, y);
  for (int i = 0; i < N; i++)
    printf("%a %a\n", t[i], y[i]);
}
