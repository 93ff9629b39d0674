// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a function's nests aren't one SCoP, a remark says for each end at which nest, why, and what to do about it. Nests that
// are one need none.
//
// RUN: %remarks %s -mllvm -tessera-force -mllvm -tessera-only='^(one|call|lookup|volatiles)$' | %FileCheck %s
// RUN: %clang -O2 -S -o /dev/null -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=one -gline-tables-only \
// RUN:   -mllvm -tessera-budget=4000 -Rpass-missed=tessera %s 2>&1 | %FileCheck %s --check-prefix=BUDGET

void unknown(void);

void one(int n, float *restrict a, float *restrict b, float *restrict c)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[i * n + j] = a[i * n + j] * 2;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      c[i * n + j] = b[i * n + j] * 2;
  // BUDGET: [[@LINE-3]]:3: remark: SCoP split, each nest is looked at alone from here on: the operation budget ran out; stage: model; suggestion: raise -tessera-budget
}
// CHECK-NOT: Split
// CHECK: Name: {{ *}}Modelled

void call(int n, float *restrict a, float *restrict b, float *restrict c)
{
  for (int i = 0; i < n; i++)
    b[i] = a[i] * 2;
  for (int i = 0; i < n; i++)
    unknown();
  // CHECK: Name: {{ *}}Split
  // CHECK: Line: [[@LINE-3]]
  // CHECK: Function: {{ *}}call
  // CHECK: String: {{ *}}'SCoP ends here, others begin: '
  // CHECK-NEXT: Reason: {{ *}}call of a function that may do anything
  // CHECK: Expression: {{ *}}'unknown()'
  // CHECK: Hint: {{ *}}make it inline, or declare it pure or const
  for (int i = 0; i < n; i++)
    c[i] = b[i] * 2;
}

void lookup(int n, float *restrict a, float *b, const float *table, const int *restrict at)
{
  for (int i = 0; i < n; i++)
    a[i] = a[i] * 2;
  for (int i = 0; i < n; i++)
    b[i] = table[at[i]];
  // CHECK: Name: {{ *}}Split
  // CHECK: Line: [[@LINE-3]]
  // CHECK: Function: {{ *}}lookup
  // CHECK: Reason: {{.*}}array with a subscript that isn''t affine, which may overlap another array of the nest
  // CHECK: Expression: {{.*}}table{{\[at\[i\]\]}}
  // CHECK: Hint: {{ *}}add restrict to pointer parameters, or use global arrays
}

void volatiles(int n, float *restrict a, float *restrict b, volatile float *restrict c)
{
  for (int i = 0; i < n; i++)
    b[i] = a[i] * 2;
  for (int i = 0; i < n; i++)
    c[i] = b[i];
  // CHECK: Name: {{ *}}Split
  // CHECK: Line: [[@LINE-3]]
  // CHECK: Reason: {{ *}}volatile access
  // CHECK: Hint: {{ *}}copy to a non-volatile variable outside the loop
}
