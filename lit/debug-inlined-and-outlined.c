// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With -g, code that was inlined before us and outlined by us has locations that LLVM and the debugger accept.
//
// RUN: %source-ir -g %s | %tessera-opt -verify-each -tessera-parallel -passes='tessera<force>,default<O2>,verify' -o %t.ll
// RUN: %FileCheck %s < %t.ll
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -c %s -o %t.o
// RUN: %llvm-dwarfdump --verify %t.o
// RUN: %llvm-dwarfdump %t.o | %FileCheck %s --check-prefix=DWARF

// CHECK: call void @GOMP_parallel(ptr {{.*}}@f.tsr.team
// CHECK: distinct !DISubprogram(name: "f.tsr.team"
// DWARF: DW_AT_name ("f.tsr.team")

struct grid {
  double *at;
  int n;
};

static double *cell(const struct grid *g, int i, int j)
{
  double *row = g->at + i * g->n;
  return row + j;
}

void f(struct grid g, const double *restrict b)
{
  for (int i = 0; i < g.n; i++)
    for (int j = 0; j < g.n; j++) {
      double x = b[j];
      *cell(&g, j, i) = x * i;
    }
}
