// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels run, on a driver that interprets PTX: the output is what plain clang's program prints, errno and the elements around
// those that are written are as before, and TESSERA_RT_TRACE tells of the job. Nothing is copied back but what is written: 9 rows
// of 8 elements of C, from rows of 16. Where a call of the driver's fails, the CPU's code runs, and one line says why.
// REQUIRES: ptx
// UNSUPPORTED: asan
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.want
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-gpu -mllvm -tessera-force -mllvm -tessera-only=product %s %runtime -o %t
// RUN: env LD_LIBRARY_PATH=%interpreter TESSERA_RT_TRACE=1 %t > %t.out 2> %t.err && cmp %t.out %t.want
// RUN: %FileCheck %s --match-full-lines --implicit-check-not=tessera --input-file=%t.err
// RUN: env LD_LIBRARY_PATH=%interpreter %t > %t.out 2> %t.err && cmp %t.out %t.want && %count 0 < %t.err
// RUN: env LD_LIBRARY_PATH=%interpreter TSR_PTX_DEVICES=0 TESSERA_RT_TRACE=1 %t > %t.out 2> %t.err
// RUN: cmp %t.out %t.want && %count 0 < %t.err
// RUN: env LD_LIBRARY_PATH=%interpreter TSR_PTX_FAIL=cuMemcpy2DAsync_v2:1:719 %t > %t.out 2> %t.err && cmp %t.out %t.want
// RUN: %FileCheck %s --check-prefix=FAILS --match-full-lines --implicit-check-not=tessera --input-file=%t.err

// CHECK: tessera: {{.*}}gpu-run.c: tsr_kernel_0 1x2x1 of 32x8x1; {{[0-9]+}} bytes in, 576 out; {{[0-9.]+}} ms: {{[0-9.]+}} to ask, {{[0-9.]+}} to compute, {{[0-9.]+}} to copy back
// FAILS: tessera: {{.*}}gpu-run.c: cuMemcpy2DAsync_v2 says CUDA_ERROR_LAUNCH_FAILED (719): {{.*}}; the CPU computes instead
#include <errno.h>
#include <stdio.h>

enum { N = 16 };
static double A[N][N], B[N][N], C[N][N];

__attribute__((noinline)) void product(int n, int m, double A[restrict][N], double B[restrict][N], double C[restrict][N])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
}

int main(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * j % 17) / 3.0;
      B[i][j] = (i + 2 * j) % 11 / 7.0;
      C[i][j] = i - j;
    }
  errno = 42;
  product(9, 8, A, B, C);
  printf("errno %d\n", errno);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      printf("%a\n", C[i][j]);
}
