// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array whose lowest address would take too many cases to compute is rejected.
//
// RUN: %remarks -mllvm -tessera-force %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedBounds
// CHECK: Expression: {{.*}}B(1) + B(2)

#define B(k) b[i + at##k]
void f(double *a, const double *b, long n, long at1, long at2, long at3, long at4, long at5, long at6, long at7, long at8,
       long at9, long at10, long at11, long at12, long at13, long at14, long at15, long at16, long at17)
{
  for (long i = 0; i < n; i++)
    a[i] = B(1) + B(2) + B(3) + B(4) + B(5) + B(6) + B(7) + B(8) + B(9) + B(10) + B(11) + B(12) + B(13) + B(14) + B(15) +
           B(16) + B(17);
}
