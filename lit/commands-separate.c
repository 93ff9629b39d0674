// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// separate: a loop in parts in which subscripts have one form; of all nests, and of one. Where they have one anyway it is
// refused.
//
// RUN: rm -rf %t && %split-file %s %t && %clang -O2 %t/a.c -o %t/plain && %t/plain > %t/expected
// DEFINE: %{commands} = legal
// DEFINE: %{compile} = %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/%{commands} %t/a.c
// RUN: %{compile} -o %t/a -mllvm -tessera-print=ast 2> %t/ast && %t/a | diff %t/expected -
// RUN: %FileCheck %s --check-prefix=AST --input-file=%t/ast
// REDEFINE: %{commands} = every
// RUN: %{compile} -o %t/a -mllvm -tessera-print=ast 2> %t/ast && %t/a | diff %t/expected -
// RUN: %FileCheck %s --check-prefix=AST --input-file=%t/ast
// REDEFINE: %{commands} = none
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=NONE
// REDEFINE: %{commands} = marked
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=MARKED

// AST-LABEL: tessera: border.0
// AST:         S0(c0, 0);
// AST:         for (int c1 = 1; c1 < n - 1; c1 += 1)
// AST-NEXT:      S0(c0, c1);
// AST:         S0(c0, n - 1);
// AST-LABEL: tessera: twice.0
// AST:         for (int c1 = 0; c1 < n / 2; c1 += 1) {
// AST-NEXT:      S0(c0, 2 * c1);
// AST-NEXT:      S0(c0, 2 * c1 + 1);

// NONE: none:2:3: b.separate: no access of S0 has a form in loop 'i' that most of its iterations have, and not all
// MARKED: marked:3:3: b.separate: loop 'j' of S0 is marked or unrolled: do that last

//--- legal
border:
  b.separate(j)
  only
twice:
  b.separate(j)
  only
//--- every
border:
  separate()
  only
twice:
  separate()
  only
//--- none
border:
  b.separate(i)
//--- marked
border:
  b.vectorize(j)
  b.separate(j)
//--- a.c
#include <stdio.h>
#define N 71
static float a[N][N], b[N][N];

__attribute__((noinline)) static void border(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[i][j] = a[i][j > 0 ? j - 1 : 0] + 2 * a[i][j] + a[i][j < n - 1 ? j + 1 : n - 1];
}

__attribute__((noinline)) static void twice(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[i][j] = a[i][j / 2];
}

static void show(const char *what, int n)
{
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum = sum * 0.99 + b[i][j];
  printf("%s %d: %.17g\n", what, n, sum);
}

int main(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = (float)((i * 31 + j * 17) % 101);
  for (int n = 0; n <= N; n++) {
    border(n);
    show("border", n);
    twice(n);
    show("twice", n);
  }
}
