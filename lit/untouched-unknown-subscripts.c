// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can't be modelled because of a subscript that nobody knows is told before any set is built, unless somebody wants to
// hear of it: the object is the same. So it is where what is beside it can be modelled with it.
//
// RUN: %clang -O3 -fpass-plugin=%plugin -c %s -o %t.quiet.o
// RUN: %clang -O3 -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: cmp %t.quiet.o %t.o
// RUN: %clang -O3 -c %s -o %t.plain.o
// RUN: not cmp -s %t.quiet.o %t.plain.o

// CHECK: nest not modelled: array with a subscript that isn't affine, which may overlap another array of the nest
// CHECK: nest not modelled: subscript that isn't affine in loop counters and parameters
// CHECK-NOT: not modelled
// CHECK: nest transformed

void may_overlap(double *x, const double *y, const int *at, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[at[i]] += y[j];
}

void walk(double *x, const double *y, const int *next, int n)
{
  int k = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      k = next[k] & 1023;
      x[i] += y[k];
    }
}

// The loops behind the one with the unknown subscript are in one SCoP with it.
void behind(double *restrict x, const int *at, int n, double a[n][n], double *restrict s)
{
  for (int i = 0; i < n; i++)
    x[at[i]] = 0;
  if (n > 2000)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        s[j] += a[i][j];
}
