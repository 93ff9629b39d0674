// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing unwinds out of an outlined body: it is nounwind also where its source is not, and a nest with a callee that may throw
// is not outlined.
//
// RUN: %clangxx -O2 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: sed -i -e '/^attributes.*uwtable/s/ nounwind//' %t.ll
// RUN: %tessera-opt -passes='tessera<force;parallel>,verify' -pass-remarks=tessera %t.ll 2> %t.remarks | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=REMARK < %t.remarks

// REMARK-COUNT-1: loop nest transformed
// REMARK-NOT: loop nest transformed
// CHECK: define {{.*}}@_Z5clean{{.*}} [[CLEAN:#[0-9]+]]
// CHECK: call void @GOMP_parallel({{.*}}) [[CALL:#[0-9]+]]
// CHECK: define {{.*}}@_Z6throws
// CHECK-NOT: @GOMP_parallel
// CHECK: define internal void @_Z5clean{{.*}} [[BODY:#[0-9]+]]
// CHECK-DAG: attributes [[CALL]] = { nounwind
// CHECK-DAG: attributes [[BODY]] = { {{.*}}nounwind

double check(double x);

void clean(double *__restrict a, const double *__restrict b, long n)
{
  for (long i = 0; i < n; i++)
    for (long j = 0; j < 1000; j++)
      a[i * 1000 + j] = b[j] * 2;
}

void throws(double *__restrict a, const double *__restrict b, long n)
{
  for (long i = 0; i < n; i++)
    for (long j = 0; j < 1000; j++)
      a[i * 1000 + j] = check(b[j]);
}
