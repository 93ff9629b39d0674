// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the user says about a loop binds our code too.
//
// RUN: %source-ir %s | %tessera-opt -passes='tessera<force>' | %FileCheck %s

// CHECK-LABEL: define {{.*}}@novector(
// CHECK: tsr.loop
// CHECK: store double {{.*}}!alias.scope
// CHECK: br i1 {{.*}}, !llvm.loop [[NOVECTOR:![0-9]+]]
// CHECK-LABEL: define {{.*}}@nounroll(
// CHECK: tsr.loop
// CHECK: store double {{.*}}!alias.scope
// CHECK: br i1 {{.*}}, !llvm.loop [[NOUNROLL:![0-9]+]]
// CHECK-DAG: [[NOVECTOR]] = distinct !{[[NOVECTOR]],{{.*}} [[DISABLE:![0-9]+]]{{[,}]}}
// CHECK-DAG: [[DISABLE]] = !{!"llvm.loop.vectorize.width", i32 1}
// CHECK-DAG: [[NOUNROLL]] = distinct !{[[NOUNROLL]],{{.*}} [[UNROLL:![0-9]+]]{{[,}]}}
// CHECK-DAG: [[UNROLL]] = !{!"llvm.loop.unroll.disable"}

void novector(double *restrict a, const double *restrict b, int n)
{
#pragma clang loop vectorize(disable)
  for (int i = 0; i < n; i++)
    a[i] = b[i];
}

void nounroll(double *restrict a, const double *restrict b, int n)
{
#pragma clang loop unroll(disable)
  for (int i = 0; i < n; i++)
    a[i] = b[i];
}
