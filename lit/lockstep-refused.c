// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outer loops whose iterations don't run as lanes: they depend on each other, in memory or by a scalar; a value is needed
// behind the nest; rows have other lengths; conditions depend on data; calls that read memory; hints of the user's.
//
// RUN: %source-ir %s | %tessera-opt -passes='tessera<force;machine=znver4;print=ast>,verify' -o /dev/null 2> %t.ast
// RUN: %FileCheck %s --implicit-check-not='// lockstep' < %t.ast
// RUN: sed -e '/^#pragma/d' %s > %t.c
// RUN: %source-ir %t.c | %tessera-opt -passes='tessera<force;machine=znver4;print=ast;only=hint>,verify' -o /dev/null 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=WITHOUT
// CHECK: tessera: rows_in_a_chain.0
// CHECK: tessera: one_scalar.0
// CHECK: tessera: needed_behind.0
// CHECK: tessera: triangle.0
// CHECK: tessera: condition.0
// CHECK: tessera: call.0
// CHECK: tessera: hint.0
// WITHOUT: // lockstep

typedef double matrix[1000];

void rows_in_a_chain(int n, int m, matrix *restrict a)
{
  for (int i = 1; i < n; i++)
    for (int j = 1; j < m; j++)
      a[i][j] = a[i][j - 1] + a[i - 1][j + 1];
}

double one_scalar(int n, int m, matrix *restrict a)
{
  double u = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = u = u * 0.5 + a[i][j];
  return u;
}

double needed_behind(int n, int m, matrix *restrict a, double u)
{
  for (int i = 0; i < n; i++) {
    u = 1;
    for (int j = 0; j < m; j++)
      a[i][j] = u = u * 0.5 + a[i][j];
  }
  return u;
}

void triangle(int n, matrix *restrict a)
{
  for (int i = 0; i < n; i++)
    for (int j = 1; j < i; j++)
      a[i][j] = a[i][j - 1] / (a[i][j] + 1.0);
}

void condition(int n, int m, matrix *restrict a, matrix *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m; j++)
      if (b[i][j] > 0)
        a[i][j] = a[i][j - 1] / (b[i][j] + 1.0);
}

double own(double) __attribute__((pure, nothrow));
void call(int n, int m, matrix *restrict a, matrix *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m; j++)
      a[i][j] = a[i][j - 1] + own(b[i][j]);
}

void hint(int n, int m, matrix *restrict a, matrix *restrict b)
{
  for (int i = 0; i < n; i++)
#pragma clang loop vectorize(disable)
    for (int j = 1; j < m; j++)
      a[i][j] = a[i][j - 1] / (b[i][j] + 1.0);
}
