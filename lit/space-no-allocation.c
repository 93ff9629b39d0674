// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No memory is allocated but, in the entry block, the small struct of what a parallel loop needs (and buffers of packed
// operands: registers-pack.c); freestanding code gets no call that it does not have without the plugin.
//
// RUN: %source-ir %s -fno-builtin | %tessera-opt -passes='tessera<force;parallel>' -o %t.ll
// RUN: %FileCheck %s < %t.ll
// RUN: %source-ir %s -fno-builtin | %tessera-opt -passes='tessera<force>' | %FileCheck %s --check-prefix=ALONE
// RUN: %clang -O2 -ffreestanding -fno-builtin -c %s -o %t.plain.o && %llvm-nm -u %t.plain.o > %t.expected
// RUN: %clang -O2 -ffreestanding -fno-builtin -fpass-plugin=%plugin -mllvm -tessera-force -c %s -o %t.o
// RUN: %llvm-nm -u %t.o > %t.undefined && diff %t.expected %t.undefined
// RUN: %llvm-nm -u %t.o | %count 0

// CHECK-NOT: alloca [
// CHECK-NOT: {{malloc|calloc|alloc_|memalign|mmap|stacksave}}
// CHECK: define {{.*}}@means(
// CHECK-NEXT: alloca { i64{{.*}}ptr }
// CHECK-NEXT: alloca { i64{{.*}}ptr }
// CHECK-NOT: alloca
// CHECK: GOMP_parallel
// CHECK-NOT: alloca [
// CHECK-NOT: {{malloc|calloc|alloc_|memalign|mmap|stacksave}}
// ALONE: tsr.new
// ALONE-NOT: alloca
// ALONE-NOT: {{malloc|calloc|alloc_|memalign|mmap|stacksave}}

#define N 300

static double temporary[N][N];

void means(double a[restrict N][N], const double b[restrict N][N], int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      temporary[i][j] = b[j][i] * 0.5;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double x = temporary[j][i] + b[i][j];
      for (int k = 0; k < n; k++)
        a[i][k] += x * temporary[j][k];
    }
}

void clear(double a[restrict N][N], const int order[restrict N], int n)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      a[i][j] = order[i];
}
