// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Commands in the source, as an annotation of the function; a dump keeps them. A file of commands comes first. Commands for
// what no nest has, or for a function that has none, are errors.
//
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{compile} = %clang -O2 -g -fpass-plugin=%plugin -c %s -o %t/a.o
// RUN: %{compile} -mllvm -tessera-print=ast -mllvm -tessera-dump=%t 2>&1 | %FileCheck %s --check-prefix=AST
// RUN: %tessera --until=run %t/scale.0.scop 2>&1 | %FileCheck %s --check-prefix=REPLAY
// RUN: %tessera --print=commands %t/scale.0.scop | %FileCheck %s --check-prefix=COMMANDS
// RUN: echo 'scale: A.reverse(j); only' > %t/file
// RUN: %{compile} -mllvm -tessera-commands=%t/file -mllvm -tessera-print=ast 2>&1 | %FileCheck %s --check-prefix=FILE
// RUN: %not %{compile} -DWRONG='"tessera: A.tile(i, j, 4, 4); A.reverse(x)"' 2>&1 | %FileCheck %s --check-prefix=WRONG
// RUN: %not %{compile} -DWRONG='"tessera: B.reverse(i)"' 2>&1 | %FileCheck %s --check-prefix=STATEMENT
// RUN: echo 'unlike:' > %t/file && echo '  A.reverse(i)' >> %t/file
// RUN: %not %{compile} -mllvm -tessera-commands=%t/file 2>&1 | %FileCheck %s --check-prefix=NEST
// RUN: %{compile} -DWRONG='"something else"'

// AST: tessera: scale.0
// AST: S0(8 * c1 + c3, 4 * c0 + c2);
// REPLAY: run: same memory
// COMMANDS: scale.0:
// COMMANDS-NEXT: S0.interchange(i, j)
// COMMANDS-NEXT: S0.tile(j, i, 4, 8)
// FILE: S0(c0, -c1);
// WRONG: error: tessera: annotation of 'wrong.0':1:22: A.reverse: S0 has no loop 'x'; it has i0, j0, i1, j1
// STATEMENT: error: tessera: annotation of 'wrong.0':1:2: there is no statement 'B', nor one that writes such an array; there are S0 (writes A{{.*}}) of line
// NEST: error: tessera: {{.*}}file:1:1: no loop nest of 'unlike' could be modelled

#ifndef WRONG
#define WRONG "nothing of ours"
#endif
double A[100][100];

__attribute__((annotate("tessera: A.interchange(i, j); A.tile(j, i, 4, 8)"))) void scale(int n, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[i][j] *= 2.0;
}

__attribute__((annotate(WRONG))) void wrong(int n, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[i][j] += 2.0;
}

void unlike(volatile double *x, int n)
{
  for (int i = 0; i < n; i++)
    x[i] = 1.0;
}
