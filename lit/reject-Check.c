// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A check of data whose failure ends the program is rejected.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedCheck
// CHECK: Expression: {{.*}}k[j] < 0

#include <stdlib.h>

void f(double *restrict a, const int *restrict k, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (k[j] < 0)
        abort();
      a[j * n + i] += k[i];
    }
}
