// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call that may read what the nest writes is rejected, although it writes nothing.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedCallReads
// CHECK: Expression: {{.*}}weight(b, i)

__attribute__((pure)) double weight(const double *b, int i);
void f(double *a, const double *b, int n)
{
  for (int i = 0; i < n; i++)
    a[i] = weight(b, i);
}
