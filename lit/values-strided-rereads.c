// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of a vector loop are marked as parallel. But where an iteration reads again what it has written, and neighbours
// aren't next to each other: LLVM joins c[3 i] and c[3 i + 1] to one load, and asks for no dependences in loops with such
// marks, not even for those within one iteration, which then reads too early (test/fuzz-corpus/9205332.c runs).
//
// RUN: %source-ir %s -march=x86-64-v4 | %tessera-opt -passes='tessera<force;only=near;tile-sizes=4096;print=ast>' -S 2> %t.ast | %FileCheck %s --check-prefix=NEAR
// RUN: %FileCheck %s < %t.ast
// RUN: %source-ir %s -march=x86-64-v4 | %tessera-opt -passes='tessera<force;only=far;print=ast>' -S 2> %t.ast | %FileCheck %s --check-prefix=FAR
// RUN: %FileCheck %s < %t.ast

// CHECK:      // vector
// CHECK-NEXT: for (
// CHECK-NEXT:   S0(
// CHECK-NEXT:   S1(

// NEAR:       define {{.*}}void @near(
// NEAR:       store double {{.*}}!llvm.access.group
// NEAR:       load double, {{.*}}!llvm.access.group
// FAR:        define {{.*}}void @far(
// FAR:        store double
// FAR-NOT:    !llvm.access.group

void near(int n, double *restrict b, double *restrict c, double *restrict d)
{
  for (int i = 0; i < n; i++)
    c[i] = b[i] * 2;
  for (int i = 0; i < n; i++)
    d[i] = c[i] + 1;
}

void far(int n, double *restrict b, double *restrict c, double *restrict d)
{
  for (int i = 0; i < n; i++)
    c[3 * i] = b[i] * 2;
  for (int i = 0; i < n; i++)
    d[i] = c[3 * i] + c[3 * i + 1];
}
