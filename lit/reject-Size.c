// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A body of too many statements is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedSize
// CHECK: Expression: {{.*}}S100(2)

#define S(k) a[k * 1000 + i] = k + i;
#define S10(k) S(k##0) S(k##1) S(k##2) S(k##3) S(k##4) S(k##5) S(k##6) S(k##7) S(k##8) S(k##9)
#define S100(k) S10(k##0) S10(k##1) S10(k##2) S10(k##3) S10(k##4) S10(k##5) S10(k##6) S10(k##7) S10(k##8) S10(k##9)
void f(int *restrict a, int n)
{
  for (int i = 0; i < n; i++) {
    S100(1) S100(2)
  }
}
