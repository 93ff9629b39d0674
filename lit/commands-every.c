// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows without a statement are about all nests; set_schedule takes a whole schedule tree. The program computes the same, or the
// command is refused.
//
// RUN: rm -rf %t && %split-file %s %t && %clang -O2 -march=x86-64-v3 -ffp-contract=off %t/a.c -o %t/plain
// DEFINE: %{commands} = legal
// DEFINE: %{compile} = %clang -O2 -g -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-commands=%t/%{commands} %t/a.c
// RUN: %{compile} -o %t/a -mllvm -tessera-print=ast 2> %t/ast
// RUN: %FileCheck %s --check-prefix=AST --input-file=%t/ast
// REDEFINE: %{commands} = registers
// RUN: %{compile} -o %t/b -mllvm -tessera-print=tree 2>&1 | %FileCheck %s --check-prefix=REGISTERS
// REDEFINE: %{commands} = none
// RUN: %not %{compile} -o %t/c 2>&1 | %FileCheck %s --check-prefix=NONE
// REDEFINE: %{commands} = words
// RUN: %not %{compile} -o %t/c 2>&1 | %FileCheck %s --check-prefix=WORDS
// REDEFINE: %{commands} = threads
// RUN: %not %{compile} -o %t/c 2>&1 | %FileCheck %s --check-prefix=THREADS
// REDEFINE: %{commands} = domain
// RUN: %not %{compile} -o %t/c 2>&1 | %FileCheck %s --check-prefix=DOMAIN
// REDEFINE: %{commands} = filter
// RUN: %not %{compile} -o %t/c 2>&1 | %FileCheck %s --check-prefix=FILTER
// REDEFINE: %{commands} = syntax
// RUN: %not %{compile} -o %t/c 2>&1 | %FileCheck %s --check-prefix=SYNTAX
// REDEFINE: %{commands} = illegal
// RUN: %not %{compile} -o %t/c 2>&1 | %FileCheck %s --check-prefix=ILLEGAL

// AST-LABEL: tessera: product.0
// AST:         for (int c0 = 0; c0 <= floord(n - 1, 16); c0 += 1)
// AST-NEXT:      for (int c1 = 0; c1 <= (n - 1) / 8; c1 += 1)
// AST-NEXT:        for (int c2 = 0; c2 <= (n - 1) / 8; c2 += 1)
// AST:                   // vector

// REGISTERS-LABEL: tessera: product.0
// REGISTERS:         floor({{.*}}/40
// REGISTERS:         floor({{.*}}/32
// REGISTERS:         pack {{.*}} in 10x32x4
// REGISTERS:         registers 4x2x4

// NONE: none:2:3: chains: there are no loops for chains
// WORDS: words:2:16: parallelize: 'inner': expected one of outermost|inside|long|private
// THREADS: threads:2:3: parallelize: threads aren't allowed here; give -tessera-parallel
// DOMAIN: domain:2:3: set_schedule: the domain of the schedule tree lacks instances of statements
// FILTER: filter:2:3: set_schedule: not legal: {{.+}}
// SYNTAX: syntax:2:3: set_schedule: isl can't read this schedule tree
// ILLEGAL: illegal:2:3: set_schedule: not legal: array C{{.*}}: S0[{{.*}}] of line {{.*}} must run before S0[

//--- legal
product:
  set_schedule("
    domain: '{ S0[i, j, k] }'
    child:
      schedule: '[{ S0[i, j, k] -> [i] }, { S0[i, j, k] -> [k] }, { S0[i, j, k] -> [j] }]'
      permutable: 1
      coincident: [ 1, 0, 1 ]")
  tile(16, 8)
  vectorize()
  only
//--- registers
product:
  set_schedule("{ domain: '[n] -> { S0[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }', child: {
    schedule: '[n] -> [{ S0[i, j, k] -> [i] }, { S0[i, j, k] -> [k] }, { S0[i, j, k] -> [j] }]', permutable: 1,
    coincident: [ 1, 0, 1 ] } }")
  register_tiles(4, 2, 40, 32)
//--- none
product:
  chains()
//--- words
product:
  parallelize( inner)
//--- threads
product:
  parallelize(long)
//--- domain
product:
  set_schedule("{ domain: '[n] -> { S0[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n - 1 }' }")
//--- filter
product:
  set_schedule("{ domain: '[n] -> { S0[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }', child: {
    filter: '[n] -> { S0[i, j, k] : j > 0 }', child: {
      schedule: '[n] -> [{ S0[i, j, k] -> [i] }, { S0[i, j, k] -> [k] }, { S0[i, j, k] -> [j] }]' } } }")
//--- syntax
product:
  set_schedule("{ domain: '[n] -> { S0[i, j, k] : ' }")
//--- illegal
product:
  set_schedule("{ domain: '[n] -> { S0[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }', child: {
    schedule: '[n] -> [{ S0[i, j, k] -> [i] }, { S0[i, j, k] -> [-k] }, { S0[i, j, k] -> [j] }]' } }")
//--- a.c
#include <stdio.h>
#define N 150
double A[N][N], B[N][N], C[N][N];
__attribute__((noinline)) void product(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}

int main(void)
{
  static const int size[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 39, 40, 41, 97, 150};
  for (int s = 0; s < (int)(sizeof(size) / sizeof(*size)); s++) {
    unsigned long hash = 0;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        A[i][j] = (i * 7 + j * 3) % 11 / 3.0;
        B[i][j] = (i * 5 + j * 13) % 17 / 7.0;
        C[i][j] = i - j;
      }
    product(size[s]);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        unsigned long bits;
        __builtin_memcpy(&bits, &C[i][j], sizeof(bits));
        hash = hash * 31 + bits;
      }
    printf("%d %lx\n", size[s], hash);
  }
}
