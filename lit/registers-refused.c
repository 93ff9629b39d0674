// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No register tile where the statement can't run on vectors, or where an element must not stay in a register.
//
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-machine=znver4 -mllvm -tessera-force -mllvm -tessera-print=ast \
// RUN:   -c %s -o /dev/null 2>&1 | %FileCheck %s

#define NEST                                                                                                                   \
  for (int i = 0; i < n; i++)                                                                                                  \
    for (int j = 0; j < n; j++)                                                                                                \
      for (int k = 0; k < n; k++)
#define LIST int n, double (*restrict c)[1000], double (*restrict a)[1000], double (*restrict b)[1000]

// What all are like.
// CHECK: tessera: product.0
// CHECK: // registers
void product(LIST)
{
  NEST c[i][j] += a[i][k] * b[k][j];
}

// A call without a form for vectors.
// CHECK: tessera: call.0
// CHECK-NOT: registers
void call(LIST)
{
  NEST c[i][j] += __builtin_exp2(a[i][k]) * b[k][j];
}

// A counter as a number.
// CHECK: tessera: counter.0
// CHECK-NOT: registers
void counter(LIST)
{
  NEST c[i][j] += a[i][k] * b[k][j] * k;
}

// Which element is written is known at run time only.
// CHECK: tessera: maybe.0
// CHECK-NOT: registers
void maybe(LIST)
{
  NEST if (a[i][k] > 0) c[i][j] += a[i][k] * b[k][j];
}

// An integer division, which may trap in a hidden lane.
// CHECK: tessera: division.0
// CHECK-NOT: registers
void division(int n, int (*restrict c)[1000], int (*restrict a)[1000], int (*restrict b)[1000])
{
  NEST c[i][j] += a[i][k] / (b[k][j] | 1);
}

// A scalar that is carried on and has no element to live in.
// CHECK: tessera: carried.0
// CHECK-NOT: registers
double carried(LIST)
{
  double s = 0;
  NEST
  {
    s = s * 0.5 + b[k][j];
    c[i][j] += a[i][k] * s;
  }
  return s;
}

// Other accesses of the statement meet the element that it writes.
// CHECK: tessera: in_place.0
// CHECK-NOT: registers
void in_place(LIST)
{
  NEST c[i][j] += c[i][k] * c[k][j];
}

// CHECK: tessera: row_above.0
// CHECK-NOT: registers
void row_above(LIST)
{
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * c[i - 1][j];
}

// Nothing is saved: no operand is used by several rows.
// CHECK: tessera: no_reuse.0
// CHECK-NOT: registers
void no_reuse(int n, double (*restrict c)[100], double (*restrict a)[100][100])
{
  NEST c[i][j] += a[i][k][j];
}

// A nest of two loops, in which nothing goes from row to row but what is added up.
// CHECK: tessera: shallow.0
// CHECK-NOT: registers
void shallow(LIST)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      c[0][i] += a[k][i] * b[0][k];
}
