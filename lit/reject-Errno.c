// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call that may set errno beside an access that may be to errno is rejected where it isn't known how to find errno.
//
// RUN: %remarks -fmath-errno --target=x86_64-linux-android %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedErrno
// CHECK: Expression: {{.*}}error[i] = i

double sqrt(double);
void f(double *restrict a, int *error, int n)
{
  for (int i = 0; i < n; i++) {
    a[i] = sqrt(a[i]);
    error[i] = i;
  }
}
