// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of register tiles are packed into buffers: the block of A for all columns, the panel of B for all rows.
//
// RUN: %source-ir %s -march=znver4 -DT=double | %tessera-opt -passes='tessera<only=large;force;print=ast>' -o /dev/null 2>&1 | %FileCheck %s
// CHECK:      for (int [[A0:c[0-9]+]] = 0;
// CHECK:        load_{{.*}}_packed(
// CHECK:      for (int {{c[0-9]+}} = 0; {{.*}}floord
// CHECK:        // vector
// CHECK-NEXT:   for (int {{c[0-9]+}} = 0; {{c[0-9]+}} <= min(31,
// CHECK-NEXT:     load_{{.*}}_packed(
// CHECK:        // registers 6x4x8 over 1
//
// alpha * A[i][k] is computed once, where it is packed. The original runs where there is no memory; errno stays as it was.
// RUN: %source-ir %s -march=znver4 -DT=double | %tessera-opt -passes='tessera<only=large;force;keep-buffers=0>' -S | %FileCheck %s --check-prefix=IR
// IR:      define {{.*}} @large(
// IR:      [[PLACE:%.*]] = call ptr @__errno_location()
// IR:      [[WAS:%.*]] = load volatile i32, ptr [[PLACE]]
// IR:      [[MEMORY:%.*]] = call noalias ptr @malloc(i64 852032)
// IR-NEXT: store volatile i32 [[WAS]], ptr [[PLACE]]
// IR:      icmp ne ptr [[MEMORY]], null
// IR-NEXT: br i1 {{.*}}, label %{{.*}}, label %{{.*}}, !prof
// Blocks of 4 x 4 are transposed on the way.
// IR-COUNT-4: load <4 x double>, ptr {{.*}}, align 8, !alias.scope
// IR-COUNT-8: shufflevector <4 x double>
// IR:      [[PRODUCT:%.*]] = fmul <4 x double>
// IR-NEXT: store <4 x double> [[PRODUCT]], ptr {{.*}}, align 8, !alias.scope
// IR:      call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 64
// IR-NOT:  fmul
// IR:      call <8 x double> @llvm.fmuladd.v8f64
// IR-NOT:  fmul <
//
// RUN: %source-ir %s -march=znver4 -DT=double | %tessera-opt -passes='tessera<only=large;force;keep-buffers=0>' -S | %FileCheck %s --check-prefix=FREE
// FREE: [[MEMORY:%.*]] = call noalias ptr @malloc(
// FREE: call void @free(ptr [[MEMORY]])
//
// One buffer a thread.
// RUN: %source-ir %s -march=znver4 -DT=double | %tessera-opt -passes='tessera<only=large;force;parallel>' -S | %FileCheck %s --check-prefix=TEAM
// TEAM:      [[TEAM:%.*]] = call i32 @omp_get_max_threads()
// TEAM-NEXT: [[WIDE:%.*]] = zext i32 [[TEAM]] to i64
// TEAM-NEXT: mul i64 {{[0-9]+}}, [[WIDE]]
// TEAM:      call i32 @omp_get_thread_num()
//
// Not where nothing may be allocated, and not for matrices that stay in the caches.
// RUN: %source-ir %s -march=znver4 -DT=double -ffreestanding | %tessera-opt -passes='tessera<force;print=ast>' -S 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: %source-ir %s -march=znver4 -DT=double -fno-builtin | %tessera-opt -passes='tessera<force;print=ast>' -S 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: %source-ir %s -march=znver4 -DT=double --target=x86_64-apple-macos | %tessera-opt -passes='tessera<force;print=ast>' -S 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: %source-ir %s -march=armv8.2-a -DT=double --target=aarch64-linux-android | %tessera-opt -passes='tessera<force;print=ast>' -S 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: %source-ir %s -march=znver4 -DT=double | %tessera-opt -passes='tessera<only=small;force;print=ast>' -S 2>&1 | %FileCheck %s --check-prefix=NONE
// NONE-NOT: _packed(
// NONE:     // registers
// NONE-NOT: _packed(
// NONE-NOT: @malloc

void large(int m, int n, int l, T alpha, T c[restrict m][n], T a[restrict m][l], T b[restrict l][n])
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < l; k++)
        c[i][j] += alpha * a[i][k] * b[k][j];
}

void small(T c[restrict 48][48], T a[restrict 48][48], T b[restrict 48][48])
{
  for (int i = 0; i < 48; i++)
    for (int j = 0; j < 48; j++)
      for (int k = 0; k < 48; k++)
        c[i][j] += a[i][k] * b[k][j];
}
