// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With too small a budget the nest stays as it is, and the remark names the stage in which it ran out.
//
// RUN: %remarks %s -mllvm -tessera-budget=1 | %FileCheck %s --check-prefix=MODEL
// RUN: %remarks %s -mllvm -tessera-module-budget=1 | %FileCheck %s --check-prefix=MODEL
// RUN: %remarks %s -mllvm -tessera-budget=20000 | %FileCheck %s --check-prefix=LATER
// RUN: %clang -O2 -c %s -o %t.plain.o
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-budget=20000 -c %s -o %t.o
// RUN: cmp %t.plain.o %t.o

// MODEL-NOT: Transformed
// MODEL: Name: {{ *}}BudgetExhausted
// MODEL: Stage: {{ *}}model
// LATER: Name: {{ *}}BudgetExhausted
// LATER: Stage: {{ *}}dependences{{$}}
// LATER: suggestion: raise -tessera-budget

void gemm(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
