// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assumptions in pieces, `ld >= n` where there are rows at all, leave the nests' own conditions as they are in the source:
// generated code checks them once, at run time. A number that is compared with one constant alone is a truth value, -1 or 0.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^norm -mllvm -tessera-print=ast \
// RUN:   -gline-tables-only -Rpass=tessera %s -o %t 2>&1 | %FileCheck %s
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK: if (p_0 == -1)
// CHECK-NOT: || 1
// CHECK: loop nest transformed

#include <stdio.h>

__attribute__((noinline)) double norm(int upper, long ld, size_t n, const double *a)
{
  double max = 0;
  if (upper == 121) {
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t i = 0; i <= j; i++)
        sum += __builtin_fabs(a[i * ld + j]);
      max = max > sum ? max : sum;
    }
  } else {
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t i = j; i < n; i++)
        sum += __builtin_fabs(a[i * ld + j]);
      max = max > sum ? max : sum;
    }
  }
  return max;
}

int main(void)
{
  double a[400];
  for (int i = 0; i < 400; i++)
    a[i] = i % 37 - 12;
  for (size_t n = 0; n < 20; n += 3)
    printf("%g %g\n", norm(121, 20, n, a), norm(122, 20, n, a));
}
