// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A square root sets errno for what is negative, which no kernel can do: the job is given up, and the CPU computes. Where no operand is
// negative (-0.0 and NaN aren't), what the kernel has computed stays.
// REQUIRES: ptx
// UNSUPPORTED: asan
//
// RUN: %clang -O2 %s -lm -o %t.plain && %t.plain > %t.want
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-gpu -mllvm -tessera-force -mllvm -tessera-only=root %s %runtime -lm -o %t
// RUN: env LD_LIBRARY_PATH=%interpreter TESSERA_RT_TRACE=1 %t > %t.out 2> %t.err && cmp %t.out %t.want
// RUN: %FileCheck %s --input-file=%t.err

// CHECK: tsr_kernel_0 {{.*}} 800 out;
// CHECK-NEXT: tsr_kernel_0 {{.*}} 0 out;{{.*}} given up by a kernel
// CHECK-NEXT: tsr_kernel_0 {{.*}} 800 out;
#include <errno.h>
#include <math.h>
#include <stdio.h>

enum { N = 100 };
static double x[N], y[N];

__attribute__((noinline)) void root(int n, double *restrict x, const double *restrict y)
{
  for (int i = 0; i < n; i++)
    x[i] = sqrt(y[i]) + 1;
}

static void show(double at_40)
{
  for (int i = 0; i < N; i++) {
    x[i] = 0;
    y[i] = i / 3.0;
  }
  y[40] = at_40;
  y[41] = __builtin_nan("");
  errno = 0;
  root(N, x, y);
  printf("%d\n", errno);
  for (int i = 0; i < N; i++)
    if (i != 41)
      printf("%d %g\n", i, isnan(x[i]) ? 9999 : x[i]);
}

int main(void)
{
  show(2);
  show(-2);
  show(-0.0);
}
