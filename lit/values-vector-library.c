// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing of ours calls a vector library of mathematical functions: without -fveclib there is none, with or without
// -fapprox-func. With -fveclib LLVM's vectoriser uses it, inexactly and for whole vectors only: a nest that has such a call is
// transformed with -fapprox-func alone.
//
// RUN: %clang -O2 -fno-math-errno %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fno-math-errno -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only='^[fg]$' -gline-tables-only \
// RUN:   -Rpass=tessera -Rpass-missed=tessera %s -lm -o %t 2>&1 | %FileCheck %s --check-prefix=BOTH
// RUN: %t | diff %t.expected -
// RUN: %llvm-nm -u %t | %FileCheck %s --check-prefix=NONE
// RUN: %clang -O2 -fno-math-errno -fapprox-func -fpass-plugin=%plugin -mllvm -tessera-force %s -lm -o %t
// RUN: %t | diff %t.expected -
// RUN: %llvm-nm -u %t | %FileCheck %s --check-prefix=NONE
// RUN: %clang -O2 -fno-math-errno -fveclib=libmvec %s -lmvec -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fno-math-errno -fveclib=libmvec -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only='^[fg]$' \
// RUN:   -gline-tables-only -Rpass=tessera -Rpass-missed=tessera %s -lmvec -lm -o %t 2>&1 | %FileCheck %s --check-prefix=EXACT
// RUN: %t | diff %t.expected -
// RUN: %clang -O2 -fno-math-errno -fapprox-func -DFORMAT='"%.10e\n"' %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fno-math-errno -fapprox-func -DFORMAT='"%.10e\n"' -fveclib=libmvec -fpass-plugin=%plugin -mllvm -tessera-force \
// RUN:   -mllvm -tessera-only='^[fg]$' -gline-tables-only -Rpass=tessera -Rpass-missed=tessera %s -lmvec -lm -o %t 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=BOTH
// RUN: %t | diff %t.expected -
// RUN: %llvm-nm -u %t | %FileCheck %s --check-prefix=USED

// BOTH: loop nest transformed
// BOTH: loop nest transformed
// BOTH-NOT: not modelled
// EXACT: loop nest not modelled: call that -fveclib would replace{{.*}} sin(a[i][j])
// EXACT: loop nest transformed
// NONE-NOT: _ZGV
// USED: _ZGV

#include <math.h>
#include <stdio.h>

#ifndef FORMAT
#define FORMAT "%a\n"
#endif
#define N 67

__attribute__((noinline)) void f(double c[restrict N][N], double a[restrict N][N])
{
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      c[i][j] = sin(a[i][j]) + exp(a[i][j] * 0.01);
}

/* exact also in vectors; outside of the domain too */
__attribute__((noinline)) void g(double c[restrict N][N], double a[restrict N][N])
{
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      c[i][j] = sqrt(a[i][j]) > 3 ? 1 : sqrt(a[i][j] - 2);
}

static double a[N][N], c[N][N];

int main(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = (i * 31 + j * 17) % 1013 * 1.37 - 40;
  f(c, a);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      printf(FORMAT, c[i][j]);
  g(c, a);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      printf(FORMAT, isnan(c[i][j]) ? -1 : c[i][j]);
}
