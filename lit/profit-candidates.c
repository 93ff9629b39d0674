// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The candidates that were compared, and at what predicted cost, are told; by the plugin as an analysis remark, by the tool for a
// dumped SCoP.
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O2 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-dump=%t -Rpass-analysis=tessera -c %s -o %t/a.o 2>&1 \
// RUN:   | %FileCheck %s
// CHECK: remark: compared, by estimated cost, {{[0-9.e+]+}} as it is: scheduled, register tiles [[LOW:[0-9.e+]+]];
// CHECK-SAME: (taken) original order, register tiles [[LOW]];
// CHECK-SAME: scheduled, untiled {{[0-9.e+]+}};
// RUN: %tessera --until=profit --print=candidates %t/product.0.scop | %FileCheck %s --check-prefix=TOOL
// TOOL:      {{[0-9.e+]+}}  as it is
// TOOL-NEXT: {{[0-9.e+]+}}  scheduled, register tiles{{$}}
// TOOL:      {{[0-9.e+]+}}  scheduled, tiled{{$}}
// TOOL:      {{[0-9.e+]+}}  original order, register tiles  (taken)

void product(int n, float C[restrict n][n], float A[restrict n][n], float B[restrict n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}
