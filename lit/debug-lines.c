// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copied instructions keep their source lines; the loops around them have that of the nest.
//
// RUN: %source-ir -g %s | %tessera-opt -passes='tessera<force>,verify' | %FileCheck %s
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-force -c %s -o %t.o
// RUN: %llvm-dwarfdump --verify %t.o
// RUN: %llvm-dwarfdump --debug-line %t.o | %FileCheck %s --check-prefix=LINES

// CHECK: define {{.*}}@f(
// CHECK: tsr.loop
// CHECK-DAG: store double {{.*}} !dbg [[A:![0-9]+]], {{.*}}!alias.scope
// CHECK-DAG: store double {{.*}} !dbg [[B:![0-9]+]], {{.*}}!alias.scope
// CHECK-DAG: [[A]] = !DILocation(line: {{24|25}},
// CHECK-DAG: [[B]] = !DILocation(line: {{24|25}},

// LINES-DAG: {{^0x[0-9a-f]+ +}}[[#@LINE + 8]]{{ }}
// LINES-DAG: {{^0x[0-9a-f]+ +}}[[#@LINE + 8]]{{ }}

void f(double *restrict a, double *restrict b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double x = i + j;
      a[j * n + i] = x * 2;
      b[j * n + i] = x - 7;
    }
}
