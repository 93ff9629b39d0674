// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A statement with blocks of its own, behind a condition on data, belongs to the thread that runs the SCoP if it calls what
// sets errno there, not because something else in the SCoP does.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O2 -fmath-errno -fpass-plugin=%plugin -mllvm -tessera-dump=%t -c %s -o /dev/null
// RUN: %FileCheck %s --input-file=%t/f.0.scop
//
// CHECK:      name: S0
// CHECK-NEXT:   domain:
// CHECK-NOT:  name: S1
// CHECK:        one-thread: true
// CHECK:      name: S1
// CHECK-NOT:    one-thread
// CHECK:      name: S{{[2-9]}}
// CHECK-NEXT:   domain: "{{.*}}[i[[#]], i[[#]]]
// CHECK-NOT:    accesses
// CHECK:        one-thread: true

#include <math.h>

void f(long n, double a[restrict][n], double b[restrict][n], double c[restrict][n], const double d[restrict][n])
{
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      a[i][j] = exp(d[i][j]);
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      if (d[i][j] > d[j][i])
        b[i][j] = d[i][j] / d[j][i];
      else
        b[j][i] += 1;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      if (d[i][j] > a[i][j])
        c[i][j] = exp(d[j][i]);
}
