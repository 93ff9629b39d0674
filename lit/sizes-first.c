// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether loops are long enough is asked before anything else, by a few compares, and where they aren't nothing more is: what
// overlaps is asked behind that, with new code in a function of its own, so that the original keeps its registers.
//
// RUN: %clang -O3 -march=x86-64-v3 -gline-tables-only -fpass-plugin=%plugin -Rpass=tessera -S -emit-llvm %s -o %t.ll 2> %t.err
// RUN: %FileCheck %s --check-prefix=REMARK < %t.err
// RUN: %FileCheck %s < %t.ll
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-force -S -emit-llvm %s -o - \
// RUN:   | %FileCheck %s --check-prefix=FORCED
//
// REMARK: sizes-first.c:[[#@LINE+26]]:3: remark: loop nest transformed: {{.*}}; runs where {{[a-z_0-9]+}} >= {{[0-9]+}}
//
// CHECK-LABEL: define {{.*}}@product(
// CHECK-NOT: i128
// CHECK: icmp sgt i32 %{{.*}}, {{[0-9]+}}
// CHECK-NOT: i128
// CHECK: br i1
// CHECK-NOT: i128
// CHECK: call {{.*}}@product.tsr.large(
// CHECK-NOT: i128
// CHECK: define internal {{.*}}@product.tsr.large(
// CHECK: i128
//
// Few iterations that are known are left to clang.
// CHECK-NOT: @transforms.tsr.new
//
// Who forces it wants it at all sizes.
// FORCED-LABEL: define {{.*}}@product(
// FORCED-NOT: call {{.*}}tsr.new
// FORCED: define

#define N 4

void product(int m, int n, int l, const double *a, const double *b, double *c)
{

  for (int i = 0; i < m; i++)
    for (int k = 0; k < l; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * l + k] * b[k * n + j];
}

void transforms(int m, double a[N][N], double (*restrict x)[N], double (*restrict y)[N])
{
  for (int i = 0; i < m; i++)
    for (int k = 0; k < N; k++)
      for (int j = 0; j < N; j++)
        y[i][k] += a[k][j] * x[i][j];
}
