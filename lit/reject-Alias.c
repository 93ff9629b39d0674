// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More arrays than a table has room for can't be checked for overlap: the nest is rejected. With one less than there is room for
// it is not.
//
// RUN: %remarks %s | %FileCheck %s
// RUN: %remarks -DFEWER %s | %FileCheck %s --check-prefix=FEWER

// CHECK: Name: {{ *}}RejectedAlias
// CHECK: Expression: {{.*}}[x] =
// FEWER-NOT: RejectedAlias

#define EIGHT(M, k) M(k##0) M(k##1) M(k##2) M(k##3) M(k##4) M(k##5) M(k##6) M(k##7)
#define ARRAYS(M)                                                                                                            \
  EIGHT(M, 0) EIGHT(M, 1) EIGHT(M, 2) EIGHT(M, 3) EIGHT(M, 4) EIGHT(M, 5) EIGHT(M, 6) EIGHT(M, 7) EIGHT(M, 8) EIGHT(M, 9)     \
  EIGHT(M, 10) EIGHT(M, 11) EIGHT(M, 12) EIGHT(M, 13) EIGHT(M, 14) EIGHT(M, 15)
#define PARAMETER(k) double *a##k,
#define WRITE(k) a##k[x] = x;

void f(ARRAYS(PARAMETER)
#ifndef FEWER
       double *last,
#endif
       int n)
{
  for (int x = 0; x < n; x++) {
    ARRAYS(WRITE)
#ifndef FEWER
    last[x] = 1;
#endif
  }
}
