// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel code needs a library that the linker is not told of by itself: the remark names it. Other code needs the C library
// at most, for the memory of buffers.
//
// RUN: %remarks %s -mllvm -tessera-parallel | %FileCheck %s
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-parallel -c %s -o %t.o
// RUN: %llvm-nm -u %t.o | %FileCheck %s --check-prefix=PARALLEL
// RUN: %not %clang -shared -Wl,-z,defs %t.o -o %t.so 2>&1 | %FileCheck %s --check-prefix=LINK
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -c %s -o %t.o
// RUN: %llvm-nm -u %t.o | sed -E '/ (malloc|free|__errno_location)$/d' | %count 0

// CHECK: Name: {{ *}}Transformed
// CHECK: ParallelLoops: {{ *}}'1'
// CHECK: link with -lgomp
// PARALLEL: GOMP_parallel
// LINK: GOMP_parallel

void gemm(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
