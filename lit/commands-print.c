// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was chosen, as commands: fed back they give the same object. What there are no commands for is said to be so, and left
// to the search when it is fed back.
//
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{compile} = %clang -O2 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-force -c %s
// RUN: %{compile} -mllvm -tessera-print=commands -o %t/a.o 2> %t/commands
// RUN: %FileCheck %s --input-file=%t/commands
// RUN: %{compile} -mllvm -tessera-commands=%t/commands -o %t/b.o && cmp %t/a.o %t/b.o
// RUN: %{compile} -mllvm -tessera-commands=%t/commands -mllvm -tessera-print=commands -o %t/c.o 2> %t/again
// RUN: diff %t/commands %t/again

// CHECK-LABEL: pair.0:
// CHECK-NEXT:    set_schedule("{{.*}}S0[{{.*}}floor({{.*}}S1[{{.*}}")
// CHECK-NEXT:    S{{[01]}}.vectorize(c3)
// CHECK-NEXT:    only
// CHECK-NEXT:  # product.0: there is no command yet for the mark '{{.*}}'

#define N 1000
double A[N][N], B[N][N], C[N][N];

void pair(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = B[i][j] + 1.0;
  for (int i = 0; i < n - 2; i++)
    for (int j = 0; j < n; j++)
      C[i][j] = A[i][j] + A[i + 2][j];
}

void product(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}
