// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each option through the command line, through the environment and through -passes.
//
// RUN: %source-ir %s > %t.ll
//
// RUN: %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o -mllvm -tessera-print=ast -mllvm -tessera-force \
// RUN:   -mllvm -tessera-tile-sizes=8,4,2 2> %t.1
// RUN: env TESSERA_OPTIONS="print=ast force tile-sizes=8,4,2" %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o 2> %t.2
// RUN: %tessera-opt -passes='tessera<print=ast;force;tile-sizes=8x4x2>' %t.ll -o /dev/null 2> %t.3
// RUN: %FileCheck %s --check-prefix=AST < %t.1
// RUN: diff %t.1 %t.2
// RUN: diff %t.1 %t.3
// AST: tessera: gemm.0
// AST: for (int c0 = 0;{{.*[/,] 8\)?}};
// AST: for (int c1 = 0;{{.*[/,] 4\)?}};
// AST: for (int c2 = 0;{{.*[/,] 2\)?}};
//
// RUN: %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o -mllvm -tessera-print=schedule -mllvm -tessera-schedule=original 2> %t.1
// RUN: env TESSERA_OPTIONS="schedule=original;print=schedule" %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o 2> %t.2
// RUN: %tessera-opt -passes='tessera<schedule=original;print=schedule>' %t.ll -o /dev/null 2> %t.3
// RUN: %FileCheck %s --check-prefix=SCHEDULE < %t.1
// RUN: diff %t.1 %t.2
// RUN: diff %t.1 %t.3
// SCHEDULE: domain:
// SCHEDULE: S0[{{[ijk_0-9, ]+}}] -> [(
//
// RUN: %tessera-opt -passes='tessera<print=tree;force=on>' %t.ll -o /dev/null 2>&1 | %FileCheck %s --check-prefix=TREE
// RUN: env TESSERA_OPTIONS="--print=tree -tessera-force=1" %tessera-opt -passes=tessera %t.ll -o /dev/null 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=TREE
// TREE: domain:
// TREE: mark: "registers
//
// RUN: %clang -O2 -fpass-plugin=%plugin -S -emit-llvm %s -o - -mllvm -tessera-parallel | %FileCheck %s --check-prefix=PARALLEL
// RUN: env TESSERA_OPTIONS=parallel %clang -O2 -fpass-plugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=PARALLEL
// RUN: %tessera-opt -passes='tessera<parallel>' %t.ll | %FileCheck %s --check-prefix=PARALLEL
// PARALLEL: call void @GOMP_parallel
//
// RUN: %clang -O2 -c %s -o %t.plain.o
// RUN: %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o
// RUN: %not cmp %t.plain.o %t.o
// RUN: %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o -mllvm -tessera-off
// RUN: cmp %t.plain.o %t.o
// RUN: env TESSERA_OPTIONS=off %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o
// RUN: cmp %t.plain.o %t.o
// RUN: %opt -passes=verify -S %t.ll > %t.1
// RUN: %tessera-opt -passes='tessera<off>' %t.ll | diff %t.1 -
//
// What is said last counts: the environment, then the command line, then -passes.
// RUN: env TESSERA_OPTIONS="parallel off" %clang -O2 -fpass-plugin=%plugin -S -emit-llvm %s -o - -mllvm -tessera-off=false \
// RUN:   | %FileCheck %s --check-prefix=PARALLEL
// RUN: env TESSERA_OPTIONS=parallel %tessera-opt -tessera-off -passes='tessera<off=0>' %t.ll | %FileCheck %s --check-prefix=PARALLEL

__attribute__((noinline)) void gemm(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
