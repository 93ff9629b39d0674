// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where additions may change places, LLVM's own vectoriser makes vectors of a sum. It can't where something else is written
// in between, which may be the sum as far as it knows: there, rows become lanes.
//
// RUN: %source-ir %s -march=x86-64-v4 -ffast-math | %tessera-opt -passes='tessera<print=ast>' -o /dev/null 2>&1 | %FileCheck %s
// RUN: %source-ir %s -march=x86-64-v4 | %tessera-opt -passes='tessera<print=ast;only=one>' -o /dev/null 2>&1 | %FileCheck %s --check-prefix=STRICT

// CHECK:     tessera: two.0
// CHECK:     // registers 1x
// CHECK:     tessera: one.0
// CHECK-NOT: // registers

// STRICT:    tessera: one.0
// STRICT:    // registers 1x

void two(int n, double *restrict a, double *restrict b, double *x, double *s, double *t)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      s[i] += a[i * n + j] * x[j];
      t[i] += b[i * n + j] * x[j];
    }
}

void one(int n, double *a, double *x, double *s)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s[i] += a[i * n + j] * x[j];
}
