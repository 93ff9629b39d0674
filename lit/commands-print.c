// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was chosen, as commands: the scheduler's tree, and the steps from there; fed back they give the same object. What
// there is no row for is in the tree.
//
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{compile} = %clang -O2 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-force -c %s
// RUN: %{compile} -mllvm -tessera-print=commands -o %t/a.o 2> %t/commands
// RUN: %FileCheck %s --input-file=%t/commands
// RUN: %{compile} -mllvm -tessera-commands=%t/commands -o %t/b.o && cmp %t/a.o %t/b.o
// RUN: %{compile} -mllvm -tessera-commands=%t/commands -mllvm -tessera-print=commands -o %t/c.o 2> %t/again
// RUN: diff %t/commands %t/again

// RUN: %{compile} -mllvm -tessera-parallel -mllvm -tessera-print=commands -o %t/a.o 2> %t/threads
// RUN: %FileCheck %s --check-prefix=THREADS --input-file=%t/threads
// RUN: %{compile} -mllvm -tessera-parallel -mllvm -tessera-commands=%t/threads -o %t/b.o && cmp %t/a.o %t/b.o

// CHECK-LABEL: pair.0:
// CHECK-NEXT:    overlapped_tiles()
// CHECK-NEXT:    vectorize()
// CHECK-NEXT:    only
// CHECK-NEXT:    where_it_pays
// CHECK-LABEL: turned.0:
// CHECK-NEXT:    set_schedule("
// CHECK-NEXT:      domain: '{{.*}}S0[{{.*}}'
// CHECK:         tile()
// CHECK-NEXT:    vectorize()
// CHECK-NEXT:    only
// CHECK-NEXT:    where_it_pays
// CHECK-LABEL: product.0:
// CHECK-NEXT:    set_schedule("
// CHECK:           permutable: 1
// CHECK:         register_tiles()
// CHECK-NEXT:    vectorize()
// CHECK-NEXT:    only
// CHECK-NEXT:    where_it_pays

// THREADS-LABEL: pair.0
// THREADS:         parallelize({{outermost|inside|long}})

#define N 1000
double A[N][N], B[N][N], C[N][N];

void pair(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = B[i][j] + 1.0;
  for (int i = 0; i < n - 2; i++)
    for (int j = 0; j < n; j++)
      C[i][j] = A[i][j] + A[i][n - 1 - j];
}

void turned(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = B[j][i];
}

void product(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}
