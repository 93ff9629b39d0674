// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows about the order of loops: split, interchange, shift, skew, reverse, unroll, wavefront. The program computes the same,
// or the command is refused with a dependence that forbids it.
//
// RUN: rm -rf %t && %split-file %s %t && %clang -O2 %t/a.c -I%S/Inputs -o %t/plain && %t/plain > %t/expected
// DEFINE: %{commands} = legal
// DEFINE: %{compile} = %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/%{commands} -I%S/Inputs %t/a.c
// RUN: %{compile} -o %t/a -mllvm -tessera-print=ast 2> %t/ast && %t/a | diff %t/expected -
// RUN: %FileCheck %s --check-prefix=AST --input-file=%t/ast
//
// REDEFINE: %{commands} = interchange
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=INTERCHANGE
// REDEFINE: %{commands} = reverse
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=REVERSE
// REDEFINE: %{commands} = shift
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=SHIFT
// REDEFINE: %{commands} = skew
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=SKEW
// REDEFINE: %{commands} = wavefront
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=WAVEFRONT
// REDEFINE: %{commands} = split
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=SPLIT
// REDEFINE: %{commands} = unroll
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=UNROLL

// AST-LABEL: tessera: product.0
// AST-NEXT:  for (int c0 = max(-7, -n + 1); c0 <= 0; c0 += 1)
// AST-NEXT:    for (int c1 = 0; c1 < m; c1 += 1)
// AST-NEXT:      for (int c2 = 0; c2 <= (n + c0 - 1) / 8; c2 += 1)
// AST-NEXT:        S0(-c0 + 8 * c2, c1);
// AST-LABEL: tessera: sweep.0
// AST-NEXT:  for (int c0 = 0; c0 < m + n - 3; c0 += 1)
// AST-NEXT:    for (int c1 = max(0, -n + c0 + 2); c1 <= min(m - 2, c0); c1 += 1)
// AST-NEXT:      S0(c0 - c1, c1);
// AST-LABEL: tessera: stencil.0
// AST-COUNT-4: for (int c
// AST-NEXT:        S0(4 * c0 + c2, -4 * c0 + 2 * c1 - c2 + c3);
// AST-LABEL: tessera: sum.0
// AST:         for (int c1 = 0; c1 < floord(m + 1, 2); c1 += 1) {
// AST-NEXT:      S1(c0, 2 * c1);
// AST-NEXT:      if (m >= 2 * c1 + 2)
// AST-NEXT:        S1(c0, 2 * c1 + 1);
// AST-LABEL: tessera: pair.0
// AST:         for (int c0 = 2; c0 < n; c0 += 1)
// AST-NEXT:      for (int c1 = 0; c1 < m; c1 += 1)
// AST-NEXT:        S1(c0 - 2, c1);

// INTERCHANGE: interchange:3:3: A.interchange: not legal: array A{{.*}}: S0[{{.*}}] of line {{.*}} must run before S0[{{.*}}] of line
// REVERSE: reverse:2:3: A.reverse: not legal: array A{{.*}}: S0[{{.*}}] of line {{.*}} must run before S0[
// SHIFT: shift:3:3: S1.shift: not legal: array x{{.*}}: S{{.}}[{{.*}}] of line {{.*}} must run before S
// SKEW: skew:3:3: A.wavefront: not legal: array A
// WAVEFRONT: wavefront:2:3: A.wavefront: not legal: array A
// SPLIT: split:2:17: B.split: '0' is no size: expected an integer from 1 to 1000000000
// UNROLL: unroll:3:3: B.tile: loop 'i_unrolled' of S0 is marked or unrolled: do that last

//--- legal
product:
  B.split(i, 8, i0, i1)
  B.interchange(i1, j)   # i0, j, i1 now
  B.interchange(i0, i1); # i1, j, i0
  B.reverse(i1)
  only
sweep:
  A.wavefront(i, j)
  only
stencil:   # j goes on by one in each iteration of i, so that tiles are legal
  A.skew(i, j, 1)
  A.tile(i, j, 4, 2)
  only
pair:      # the second nest runs two rows later
  B.shift(i, 2)
  only
sum:
  S1.unroll(j, 2)
  only
//--- interchange
stencil:
  # j outside
  A.interchange(i, j)
//--- reverse
sweep:
  A.reverse(j)
//--- shift
sum:
  # the sum would begin before its first value is there
  S1.shift(i, -1)
//--- skew
stencil:
  A.skew(i, j, 1); A.skew(i, j, -1)
  A.wavefront(i, j)
//--- wavefront
stencil:
  A.wavefront(i, j)
//--- split
product:
  B.split(i,    0, i0, i1)
//--- unroll
product:
  B.unroll(i, 4)
  B.tile(i_unrolled, j, 2, 2)
//--- a.c
#include "commanded.h"
