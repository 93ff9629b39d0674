// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With -flto=full the compilation transforms; the link, with or without the plugin, gives a correct program and transforms
// nothing twice.
//
// REQUIRES: lld
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -flto=full -fpass-plugin=%plugin -gline-tables-only -Rpass=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -flto=full -fuse-ld=lld-22 %t.o -o %t && %t | diff %t.expected -
// RUN: %clang -O2 -flto=full -fuse-ld=lld-22 -Wl,--load-pass-plugin=%plugin -Wl,-mllvm,-pass-remarks=tessera %t.o -o %t 2>&1 | %count 0
// RUN: %t | diff %t.expected -
// RUN: env TESSERA_OPTIONS="position=both force only=product" %clang -O2 -flto=full -fuse-ld=lld-22 -Wl,--load-pass-plugin=%plugin \
// RUN:   -Wl,-mllvm,-pass-remarks=tessera %t.o -o %t 2>&1 | %count 0
// RUN: %t | diff %t.expected -

// CHECK: remark: {{.*}}loop nest transformed
// CHECK-NOT: remark:

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
