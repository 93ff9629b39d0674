// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Doacross loops: threads take rows of blocks in turn and wait, before each block, for the row before, by atomic loads and
// stores; after some looks in vain they give the core away. One thread, or one inside of a parallel region, or one with
// little to do, runs code without blocks. The same results for any number of threads, for more than there is room for, too.
//
// REQUIRES: gomp
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-parallel -mllvm -tessera-only=sweep -S -emit-llvm -o - %s | %FileCheck %s
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-parallel -mllvm -tessera-only=sweep %s -lgomp -o %t
// RUN: env OMP_NUM_THREADS=1 %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=2 %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=5 %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=80 %t > %t.out && diff %t.expected %t.out

// CHECK-LABEL: define {{.*}}@sweep.tsr.team(
// CHECK: store atomic i64 {{.*}} release
// CHECK: load atomic i64, ptr {{.*}} acquire
// CHECK: load atomic i64, ptr {{.*}} acquire
// CHECK: call i32 @sched_yield()

// Is it worth threads?
// CHECK-LABEL: define {{.*}}@sweep.tsr.large(
// CHECK: alloca [8192 x i8], align 128
// CHECK: call {{.*}} @omp_get_max_threads()
// CHECK: call {{.*}} @omp_in_parallel()
// CHECK: fcmp ogt double {{.*}}, 1.000000e+05
// CHECK: call void @llvm.memset{{.*}}(ptr {{.*}}, i8 -128, i64 8192, i1 false)
// CHECK: call void @GOMP_parallel(ptr {{.*}}, ptr {{.*}}, i32 {{%.*}}, i32 0)

#include <stdio.h>

#define N 700
static double A[N][N];

__attribute__((noinline)) void sweep(long steps, long n, double A[N][N])
{
  for (long t = 0; t < steps; t++)
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < n - 1; j++)
        A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j - 1] +
                   A[i + 1][j] + A[i + 1][j + 1]) /
                  9.0;
}

int main(void)
{
  static const long size[] = {-1, 0, 2, 3, 35, 66, 67, 200, N}, steps[] = {0, 1, 8, 9, 50};
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++)
    for (unsigned t = 0; t < sizeof(steps) / sizeof(*steps); t++) {
      for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
          A[i][j] = (i * 7 + j * 3) % 11;
      sweep(steps[t], size[s], A);
      double sum = 0;
      for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
          sum += A[i][j] * (1 + (i + j) % 3);
      printf("%ld %ld %.17g\n", size[s], steps[t], sum);
    }
}
