// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The outlined body is a function of its own: internal, not inlined back, for the same processor, and nothing unwinds out of it.
//
// RUN: %source-ir -g -march=skylake %s | %tessera-opt -tessera-parallel -passes='tessera,verify' | %FileCheck %s

// CHECK: define {{.*}}@gemm({{.*}} !dbg [[GEMM:![0-9]+]]
// CHECK: call void @gemm.tsr.large(
// CHECK: define internal void @[[BODY:gemm.tsr.team]](ptr {{.*}}) [[ATTRIBUTES:#[0-9]+]]{{.*}} !dbg [[SUB:![0-9]+]]
// CHECK: define internal void @gemm.tsr.large(
// CHECK: call i32 @omp_in_parallel()
// CHECK: call void @GOMP_parallel(ptr @[[BODY]], ptr %{{[^,]+}}, i32 0, i32 0)
// CHECK: attributes [[ATTRIBUTES]] = { {{.*}}noinline{{.*}}nounwind{{.*}}"target-cpu"="skylake"
// CHECK: [[GEMM]] = distinct !DISubprogram(name: "gemm",
// CHECK: [[SUB]] = distinct !DISubprogram(name: "[[BODY]]",

void gemm(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
