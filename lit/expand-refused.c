// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that stay scalars: with one loop around, unless they run along rows; where nobody may allocate memory; where the number of rows changes with
// what is around them; those that an element holds anyway; and where the user says so.
//
// DEFINE: %{compile} = rm -rf %t && mkdir %t && %clang -O2 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-dump=%t -c %s -o %t.o
// RUN: %{compile} && ls %t | %FileCheck %s
// RUN: %{compile} -mllvm -tessera-expand=always && ls %t | %FileCheck %s
// RUN: %{compile} -mllvm -tessera-expand=never && ls %t | %FileCheck %s --check-prefix=NEVER
// RUN: %{compile} -ffreestanding && ls %t | %FileCheck %s --check-prefix=NEVER
//
// What was chosen can be fed back.
// DEFINE: %{same} = %clang -O2 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-only=product -c %s
// RUN: %{same} -mllvm -tessera-print=commands -o %t.a.o 2> %t.commands && %FileCheck %s --check-prefix=PRINTED < %t.commands
// RUN: %{same} -mllvm -tessera-commands=%t.commands -o %t.b.o && cmp %t.a.o %t.b.o

// CHECK-NOT: direct.0.expanded
// CHECK: direct.0.scop
// CHECK-NOT: one.0.expanded
// CHECK: one.0.scop
// CHECK: product.0.expanded.scop
// CHECK-NOT: ragged.0.expanded
// CHECK: ragged.0.scop
// NEVER-NOT: expanded
// PRINTED: product.0.expanded:

void product(int n, double x, double c[restrict n][n], double a[restrict n][n], double b[restrict n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[i][k] * b[j][k];
      c[i][j] = x * c[i][j] + sum;
    }
}

void direct(int n, double c[restrict n][n], double a[restrict n][n], double b[restrict n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[i][k] * b[j][k];
      c[i][j] = sum;
    }
}

void one(int n, double x, double c[restrict n], double a[restrict n][n], double b[restrict n])
{
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = 0; k < n; k++)
      sum += a[k][i] * b[k];
    c[i] = x * c[i] + sum;
  }
}

void ragged(int n, double x, double c[restrict n][n], double a[restrict n][n], double b[restrict n][n])
{
  for (int t = 0; t < n; t++)
    for (int i = 0; i < t; i++)
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int k = 0; k < n; k++)
          sum += a[i][k] * b[j][k];
        c[i][j] = x * c[i][j] + sum;
      }
}
