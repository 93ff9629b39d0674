// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every level from -O1 on transforms once and gives the same result, in clang and in opt.
//
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %source-ir -g %s > %t.ll
// RUN: %clang -O1 -fpass-plugin=%plugin -Rpass=tessera -gline-tables-only %s -o %t 2>&1 | %FileCheck %s
// RUN: %t | diff %t.expected -
// RUN: %clang -O2 -fpass-plugin=%plugin -Rpass=tessera -gline-tables-only %s -o %t 2>&1 | %FileCheck %s
// RUN: %t | diff %t.expected -
// RUN: %clang -O3 -g -fpass-plugin=%plugin -Rpass=tessera -gline-tables-only %s -o %t 2>&1 | %FileCheck %s
// RUN: %t | diff %t.expected -
// RUN: %tessera-opt -passes='default<O1>' -pass-remarks=tessera %t.ll -o %t.opt.ll 2>&1 | %FileCheck %s
// RUN: %clang -Wno-override-module %t.opt.ll -o %t && %t | diff %t.expected -
// RUN: %tessera-opt -passes='default<O2>' -pass-remarks=tessera %t.ll -o %t.opt.ll 2>&1 | %FileCheck %s
// RUN: %clang -Wno-override-module %t.opt.ll -o %t && %t | diff %t.expected -
// RUN: %tessera-opt -passes='default<O3>' -pass-remarks=tessera %t.ll -o %t.opt.ll 2>&1 | %FileCheck %s
// RUN: %clang -Wno-override-module %t.opt.ll -o %t && %t | diff %t.expected -

// CHECK: remark: {{.*}}loop nest transformed
// CHECK-NOT: remark: {{.*}}loop nest transformed

#include <stdio.h>

#define N 90

__attribute__((noinline)) void product(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static double a[N * N], b[N * N], c[N * N];

int main(void)
{
  for (int i = 0; i < N * N; i++) {
    a[i] = i % 17 * 0.37;
    b[i] = i % 23 * 0.11;
  }
  for (int n = 0; n <= N; n += 30)
    product(n, c, a, b);
  for (int i = 0; i < N * N; i += 7)
    printf("%a\n", c[i]);
}
