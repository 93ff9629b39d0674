// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that take loops apart or join them: index_set_split, distribute, fuse, set_schedule. The program computes the same, or
// the command is refused with a dependence that forbids it.
//
// RUN: rm -rf %t && %split-file %s %t && %clang -O2 %t/a.c -I%S/Inputs -o %t/plain && %t/plain > %t/expected
// DEFINE: %{commands} = legal
// DEFINE: %{compile} = %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/%{commands} -I%S/Inputs %t/a.c
// RUN: %{compile} -o %t/a -mllvm -tessera-print=ast 2> %t/ast && %t/a | diff %t/expected -
// RUN: %FileCheck %s --check-prefix=AST --input-file=%t/ast
// REDEFINE: %{commands} = tiled
// RUN: %{compile} -o %t/a -mllvm -tessera-print=ast 2> %t/ast && %t/a | diff %t/expected -
// RUN: %FileCheck %s --check-prefix=TILED --input-file=%t/ast
//
// REDEFINE: %{commands} = fuse
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=FUSE
// REDEFINE: %{commands} = distribute
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=DISTRIBUTE
// REDEFINE: %{commands} = set
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=SET
// REDEFINE: %{commands} = map
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=MAP
// REDEFINE: %{commands} = value
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=VALUE

// AST-LABEL: tessera: product.0
// AST:         for (int c0 = 0; c0 < m; c0 += 1)
// AST-NEXT:      for (int c1 = 0; c1 < n; c1 += 1)
// AST-NEXT:        S0(c1, c0);
// The first column of each row apart, the rest from the border on.
// AST-LABEL: tessera: stencil.0
// AST:         for (int c0 = 0; c0 < n - 1; c0 += 1) {
// AST-NEXT:      for (int c1 = 0; c1 <= min(1, m - 2); c1 += 1)
// AST-NEXT:        S0(c0, c1);
// AST-NEXT:      for (int c1 = 2; c1 < m - 1; c1 += 1)
// AST-NEXT:        S0(c0, c1);
// AST-LABEL: tessera: sum.0
// AST:         for (int c0 = 0; c0 < n; c0 += 1)
// AST-NEXT:      S0(c0);
// AST-NEXT:    for (int c0 = 0; c0 < n; c0 += 1)
// AST-NEXT:      for (int c1 = 0; c1 < m; c1 += 1)
// AST-NEXT:        S1(c0, c1);
// AST-LABEL: tessera: pair.0
// AST:         for (int c0 = 0; c0 < n; c0 += 1)
// AST-NEXT:      for (int c1 = 0; c1 < m; c1 += 1) {
// AST-NEXT:        S0(c0, c1);
// AST-NEXT:        if (c0 >= 2)
// AST-NEXT:          S1(c0 - 2, c1);

// The rows of a tile of the second nest, and what they need in front of them: no more than is there already.
// TILED-LABEL: tessera: pair.0
// TILED:         for (int c0 =
// TILED-NEXT:      for (int c1 =
// TILED:             S0(
// TILED:             S1(16 * c0 + c2, 8 * c1 + c3);

// FUSE: fuse:3:3: S0.fuse: not legal: array A{{.*}}: S0[{{.*}}] of line {{.*}} must run before S1[{{.*}}] of line
// DISTRIBUTE: distribute:3:3: B.distribute: not legal: array T{{.*}}: S{{.}}[{{.*}}] of line {{.*}} must run before S
// SET: set:2:3: A.set_schedule: not legal: array A{{.*}}: S0[{{.*}}] of line {{.*}} must run before S0[
// MAP: map:2:3: B.set_schedule: the relation gives one time to several instances
// VALUE: value:2:3: B.index_set_split: 'j' is no affine expression over parameters and loops around 'i'

//--- legal
product:
  B.set_schedule("{ S0[i, j] -> [j, i] }")
  only
stencil:
  A.index_set_split(j, 2)
  only
sum:
  S1.distribute(i)
  only
pair:
  B.shift(i, 2)
  A.fuse(B, j)
  only
//--- tiled
pair:
  A.shift(i, -2)       # the first nest runs two rows earlier
  B.tile(i, j, 16, 8, i0, j0, i1, j1)
  A.fuse(B, j0)        # S0 keeps its loops, of which a part is left in each tile
  only
//--- fuse
pair:
  # the second nest needs what the first one writes two rows on
  S0.fuse(S1, i)
//--- distribute
rows:
  # all rows at once would need a T each
  B.distribute(i)
//--- set
sweep:
  A.set_schedule("{ S0[i, j] -> [j, -i] }")
//--- map
product:
  B.set_schedule("{ S0[i, j] -> [i + j] }")
//--- value
product:
  B.index_set_split(i, j)
//--- a.c
#include "commanded.h"
