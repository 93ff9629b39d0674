// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -tessera-gpu: a nest becomes a kernel in PTX inside the object, tried first where there is enough work; the sum stays in a
// register, neighbours in a warp read neighbours in memory. Without the option nothing of that is there.
//
// RUN: %clang -O3 -mavx2 -mfma -fpass-plugin=%plugin -mllvm -tessera-gpu -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s --input-file=%t.ll
// RUN: %FileCheck %s --check-prefix=PTX --input-file=%t.ll
// RUN: %clang -O3 -fpass-plugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=OFF
// RUN: %remarks -mllvm -tessera-gpu %s | %FileCheck %s --check-prefix=REMARK
//
// The same source gives the same object.
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-gpu -c %s -o %t.1.o
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-gpu -c %s -o %t.2.o && cmp %t.1.o %t.2.o

// CHECK: @tsr.kernels = internal global { i64, ptr, ptr, i64, ptr, ptr } { i64 1, ptr @tsr.source, ptr @tsr.ptx, i64 1, ptr @tsr.kernel.table, ptr null }
// CHECK-LABEL: define {{.*}}@product
// CHECK: call i32 @tsr_rt_pays(ptr {{.*}}@tsr.kernels, double
// CHECK: [[JOB:%.*]] = {{.*}}call ptr @tsr_rt_begin(ptr {{.*}}@tsr.kernels)
// CHECK-COUNT-3: call i64 @tsr_rt_array(ptr {{.*}}[[JOB]],
// CHECK: call void @tsr_rt_launch(ptr {{.*}}[[JOB]], i64 0,
// CHECK: call void @tsr_rt_copy_out(ptr {{.*}}[[JOB]],
// CHECK: call i32 @tsr_rt_end(ptr {{.*}}[[JOB]])

// PTX: @tsr.ptx = private {{.*}}.target sm_70
// PTX-SAME: .visible .entry tsr_kernel_0(
// PTX-SAME: st.global
// PTX-SAME: fma.rn.f64

// OFF-NOT: tsr_rt
// OFF-NOT: sm_70

// REMARK: Name: Transformed
// REMARK: Kernels: '1'
// REMARK: link with -ltessera_rt
void product(int n, double A[restrict n][n], double B[restrict n][n], double C[restrict n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] *= 1.5;
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
    }
}
