// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plugin given twice, or asked for again behind the pipeline, transforms nothing a second time.
//
// RUN: %clang -O2 -fpass-plugin=%plugin -c %s -o %t.once.o
// RUN: %clang -O2 -fpass-plugin=%plugin -fpass-plugin=%plugin -gline-tables-only -Rpass=tessera -c %s -o %t.g.o 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %clang -O2 -fpass-plugin=%plugin -fpass-plugin=%plugin -c %s -o %t.twice.o
// RUN: cmp %t.once.o %t.twice.o
// RUN: %source-ir %s > %t.ll
// RUN: %tessera-opt -passes='default<O2>,tessera<force>' -pass-remarks=tessera %t.ll -o /dev/null 2>&1 | %FileCheck %s
// RUN: %tessera-opt -tessera-position=both -passes='default<O2>,tessera' -pass-remarks=tessera %t.ll -o /dev/null 2>&1 \
// RUN:   | %FileCheck %s

// CHECK: remark: {{.*}}loop nest transformed
// CHECK-NOT: remark:

void gemm(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
