// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM splits vectors of 64 bytes into halves on Intel's processors unless a function asks for them: one with new code does,
// unless the user prefers shorter ones; the original beside it has those that it had. A processor that hides its model is known by what its code can use.
//
// RUN: %clang -O3 -march=icelake-server -fpass-plugin=%plugin -S %s -o - | %FileCheck %s --check-prefix=WIDE
// RUN: %clang -O3 -march=icelake-server -fpass-plugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clang -O3 -march=icelake-server -mprefer-vector-width=256 -fpass-plugin=%plugin -S %s -o - \
// RUN:   | %FileCheck %s --check-prefix=SHORT
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=NONE
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O3 -march=rocketlake -mavx512fp16 -fpass-plugin=%plugin -mllvm -tessera-dump=%t -c %s -o %t.o
// RUN: %tessera --print=machine %t/product.0.scop | %FileCheck %s --check-prefix=HIDDEN
// RUN: %clang -O3 -march=rocketlake -fpass-plugin=%plugin -mllvm -tessera-dump=%t -c %s -o %t.o
// RUN: %tessera --print=machine %t/product.0.scop | %FileCheck %s --check-prefix=NAMED

// WIDE-NOT: %zmm
// WIDE-LABEL: {{^}}product.tsr.large:
// WIDE: vfmadd{{.*}}%zmm
// CHECK: define {{.*}}@product({{.*}} #[[OLD:[0-9]+]] {
// CHECK: define {{.*}}@product.tsr.large({{.*}} #[[NEW:[0-9]+]] {
// CHECK-DAG: attributes #[[NEW]] = {{.*}}"min-legal-vector-width"="512"{{.*}}"prefer-vector-width"="512"
// CHECK-DAG: attributes #[[OLD]] = {{.*}}"min-legal-vector-width"="0"
// SHORT-NOT: %zmm
// SHORT: vfmadd{{.*}}%ymm
// SHORT-NOT: %zmm
// NONE: define {{.*}}@product({{.*}} #[[NEW:[0-9]+]] {
// NONE: attributes #[[NEW]] = {{.*}}"min-legal-vector-width"="0"
// NONE-NOT: "prefer-vector-width"
// HIDDEN: machine: sapphirerapids
// NAMED: machine: rocketlake

void product(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] = __builtin_fma(a[i * n + k], b[k * n + j], c[i * n + j]);
}

void untouched(int n, double *restrict a)
{
  for (int i = 0; i < n; i++)
    a[i] += 1;
}
