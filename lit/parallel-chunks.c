// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where iterations differ in work, threads ask for a thirty-second of their share at a time, and for one at least. Neighbours
// often write to one cache line: of long loops it is a sixth of their share, but 64 at most, in whole lines of 8.
//
// REQUIRES: gomp
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-parallel -mllvm -tessera-only=transpose -S -emit-llvm -o - %s | %FileCheck %s
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-parallel -mllvm -tessera-force -mllvm -tessera-only=transpose %s -lgomp -o %t
// RUN: env OMP_NUM_THREADS=1 %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out

// CHECK-LABEL: define {{.*}}@transpose.tsr.team(
// CHECK: [[TEAM:%.*]] = tail call i32 @omp_get_num_threads()
// CHECK: shl nsw i64 {{%.*}}, 5
// CHECK: [[PART:%.*]] = sdiv i64
// CHECK: mul nsw i64 {{%.*}}, 6
// CHECK: [[LONG:%.*]] = sdiv i64
// CHECK: [[MOST:%.*]] = tail call i64 @llvm.smin.i64(i64 [[LONG]], i64 64)
// CHECK: [[LINES:%.*]] = and i64 [[MOST]], -8
// CHECK: [[LEAST:%.*]] = tail call i64 @llvm.smax.i64(i64 [[PART]], i64 [[LINES]])
// CHECK: [[SIZE:%.*]] = tail call i64 @llvm.smax.i64(i64 [[LEAST]], i64 1)
// CHECK: @GOMP_loop_dynamic_start(i64 {{.*}}, i64 {{.*}}, i64 1, i64 [[SIZE]], ptr

#include <stdio.h>

#define N 700
static double A[N][N], B[N][N];

__attribute__((noinline)) void transpose(long n, double A[restrict N][N], double B[restrict N][N])
{
  for (long i = 0; i < n; i++)
    for (long j = i + 1; j < n; j++)
      A[j][i] = B[i][j];
}

int main(void)
{
  static const long size[] = {0, 1, 2, 31, 95, 96, 97, 400, N};
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        A[i][j] = -1, B[i][j] = i * 3 + j;
    transpose(size[s], A, B);
    double sum = 0;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        sum += A[i][j] * (1 + (i * 5 + j) % 7);
    printf("%ld %.17g\n", size[s], sum);
  }
}
