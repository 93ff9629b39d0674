// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -tessera-only considers only functions whose name matches.
//
// RUN: %source-ir %s | %tessera-opt -tessera-only='^(one|t.o)$' -passes='tessera<force>' | %FileCheck %s

// CHECK-LABEL: @one(
// CHECK: tsr.
// CHECK-LABEL: @two(
// CHECK: tsr.
// CHECK-LABEL: @twofold(
// CHECK-NOT: tsr.
// CHECK-LABEL: @last(

#define F(name)                                                                                                             \
  void name(double *restrict a, const double *restrict b, int n)                                                            \
  {                                                                                                                         \
    for (int i = 0; i < n; i++)                                                                                             \
      for (int j = 0; j < n; j++)                                                                                           \
        a[i * n + j] += b[j * n + i];                                                                                       \
  }

F(one)
F(two)
F(twofold)
void last(void) {}
