// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As many blocks as there are iterations for: one for 256, whether isl's condition is < or <=, and two for 257.
// REQUIRES: ptx
// UNSUPPORTED: asan
//
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-gpu -mllvm -tessera-force -mllvm -tessera-only=twice %s %runtime -o %t
// RUN: env LD_LIBRARY_PATH=%interpreter TESSERA_RT_TRACE=1 %t 2>&1 | %FileCheck %s

// CHECK: tsr_kernel_0 1x1x1 of 256x1x1
// CHECK-NEXT: tsr_kernel_0 2x1x1 of 256x1x1
enum { N = 257 };
static double x[N], y[N];

__attribute__((noinline)) void twice(int n, double *restrict x, const double *restrict y)
{
  for (int i = 0; i < n; i++)
    x[i] = 2 * y[i];
}

int main(void)
{
  twice(256, x, y);
  twice(257, x, y);
}
