// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Square roots are the same on a GPU: where one would set errno, the kernel gives the job up. Other functions of the C library
// aren't: with -ffast-math those of CUDA's libdevice will do, where there is a toolkit; what none has is a host's.
//
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-gpu -mllvm -tessera-force -mllvm -tessera-only=root -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s --input-file=%t.ll
// RUN: %clang -O2 -fno-math-errno -fpass-plugin=%plugin -mllvm -tessera-gpu -mllvm -tessera-force -mllvm -tessera-only=root -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s --check-prefix=NOERRNO --input-file=%t.ll
// RUN: %remarks -ffast-math -mllvm -tessera-gpu -mllvm -tessera-force -mllvm -tessera-only=squash %s | %FileCheck %s --check-prefix=FAST

// CHECK: sqrt.rn.f64
// CHECK-SAME: st.relaxed.sys.global.b32
// CHECK: call i64 @tsr_rt_flag(

// NOERRNO: sqrt.rn.f64
// NOERRNO-NOT: tsr_rt_flag

// FAST: {{Kernels: +'1'|none without CUDA's libdevice}}
double sqrt(double);
float expf(float);

void root(int n, double *restrict x, const double *restrict y)
{
  for (int i = 0; i < n; i++)
    x[i] = sqrt(y[i]) + 1;
}

void squash(int n, float *restrict x, const float *restrict y)
{
  for (int i = 0; i < n; i++)
    x[i] = 1 / (1 + expf(-y[i]));
}
