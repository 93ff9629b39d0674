// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that say how loops run: parallelize, private, doacross, vectorize. The program computes the same, or the command is
// refused with the reason.
//
// REQUIRES: gomp
// RUN: rm -rf %t && %split-file %s %t && %clang -O2 %t/a.c -I%S/Inputs -o %t/plain && %t/plain > %t/expected
// DEFINE: %{commands} = legal
// DEFINE: %{threads} = -mllvm -tessera-parallel
// DEFINE: %{compile} = %clang -O2 -g -fpass-plugin=%plugin %{threads} -mllvm -tessera-commands=%t/%{commands} -I%S/Inputs %t/a.c
// RUN: %{compile} -o %t/a -lgomp -mllvm -tessera-print=ast 2> %t/ast && env OMP_NUM_THREADS=4 %t/a | diff %t/expected -
// RUN: %FileCheck %s --check-prefix=AST --input-file=%t/ast
// RUN: %{compile} -S -emit-llvm -o - | %FileCheck %s --check-prefix=WIDTH
//
// REDEFINE: %{commands} = private
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=PRIVATE
// REDEFINE: %{commands} = others
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=OTHERS
// REDEFINE: %{commands} = doacross
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=DOACROSS
// REDEFINE: %{commands} = vectorize
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=VECTORIZE
// REDEFINE: %{commands} = carried
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=CARRIED
// REDEFINE: %{commands} = twice
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=TWICE
// REDEFINE: %{commands} = legal
// REDEFINE: %{threads} =
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=FORBIDDEN

// AST-LABEL: tessera: product.0
// AST-NEXT:  // parallel
// AST-NEXT:  for (int c0 = 0; c0 < n; c0 += 1) {
// AST-NEXT:    // vector
// AST-NEXT:    for (int c1 = 0; c1 < m; c1 += 1)
// AST-LABEL: tessera: sweep.0
// AST-NEXT:  // doacross
// AST-LABEL: tessera: rows.0
// AST-NEXT:  // parallel
// AST-NEXT:  for (int c0 = 0; c0 < n; c0 += 1) {
// AST-NEXT:    // allocate [[T:.*]]_buffer
// AST:           if (c0 + 1 == n) {
// AST-NEXT:        // vector
// AST-NEXT:        for
// AST-NEXT:          store_[[T]](n - 1,

// WIDTH: <4 x double>
// WIDTH: GOMP_parallel

// PRIVATE: private:2:3: S1.private: B{{.*}} isn't written there
// OTHERS: others:2:3: A.private: iterations get values of A{{.*}} from others
// DOACROSS: doacross:2:3: A.doacross: not legal: iterations of a loop marked doacross depend on some that they don't wait for
// VECTORIZE: vectorize:2:3: A.vectorize: loop 'i' of S0 isn't innermost
// CARRIED: carried:2:3: A.vectorize: not legal: the iterations of a loop marked vector depend on each other: array A{{.*}}, S0[{{.*}}] of line {{.*}} and S0[
// TWICE: twice:3:3: B.parallelize: not legal: a parallel loop inside of another
// FORBIDDEN: legal:2:3: B.parallelize: threads aren't allowed here; give -tessera-parallel and link with -lgomp

//--- legal
product:
  B.parallelize(i)
  B.vectorize(j, 4)
sweep:
  A.doacross(i, j)
rows:
  B.private(i, T)
//--- private
sum:
  S1.private(i, B)
//--- others
stencil:
  A.private(i, A)
//--- doacross
stencil:
  A.doacross(i, j)
//--- vectorize
sweep:
  A.vectorize(i)
//--- carried
sweep:
  A.vectorize(j, 4)
//--- twice
product:
  B.parallelize(i)
  B.parallelize(j)
//--- a.c
#include "commanded.h"
