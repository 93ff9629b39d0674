// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Register tiles have the vectors that the target's features allow, whatever CPU it is tuned for.
//
// RUN: %source-ir %s -march=znver4 | %tessera-opt -passes='tessera<force;print=ast>' -o /dev/null 2>&1 | %FileCheck %s
// CHECK: // registers {{[0-9]+x[0-9]+}}x8 over
//
// RUN: %source-ir %s -march=znver4 -mno-avx512f | %tessera-opt -passes='tessera<force;print=ast>' -o /dev/null 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=AVX
// RUN: %source-ir %s -mavx2 -mfma | %tessera-opt -passes='tessera<force;print=ast>' -o /dev/null 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=AVX
// RUN: %source-ir %s -march=znver4 -mprefer-vector-width=256 | %tessera-opt -passes='tessera<force;print=ast>' -o /dev/null 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=AVX
// AVX: // registers {{[0-9]+x[0-9]+}}x4 over
//
// The remark tells.
// RUN: %clang -O2 -march=znver4 -fpass-plugin=%plugin -mllvm -tessera-force -Rpass=tessera -c %s -o /dev/null 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=REMARK
// REMARK: remark: loop nest transformed: {{.*}}, register tiles of {{[0-9]+x[0-9]+}} vectors of 8 with 2 packed operands; estimated cost
//
// RUN: %source-ir %s -march=znver4 -mno-avx | %tessera-opt -passes='tessera<force;print=ast>' -o /dev/null 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=SSE
// SSE: // registers {{[0-9]+x[0-9]+}}x2 over

void product(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
