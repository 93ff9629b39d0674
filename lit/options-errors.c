// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An unknown option or a malformed value is one error that says what is allowed; the compilation fails.
//
// RUN: %not env TESSERA_OPTIONS=tilesizes=3 %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: tessera: unknown option 'tilesizes': allowed are {{.*}}parallel, {{.*}}tile-sizes, {{.*}}did you mean 'tile-sizes'?
// UNKNOWN-NOT: {{^}}error:
//
// RUN: %not %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-budget=much -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=COUNT
// COUNT: error: tessera: option 'budget' needs a non-negative integer, not 'much'
// COUNT-NOT: {{^}}error:
//
// RUN: %not %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-print=all -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=CHOICE
// CHOICE: error: tessera: option 'print' needs one of none|schedule|tree|ast|commands, not 'all'
//
// RUN: %not %clang -O2 -fpass-plugin=%plugin -mllvm '-tessera-only=f(' -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=REGEX
// REGEX: error: tessera: option 'only' needs a POSIX extended regular expression, not 'f('
//
// RUN: %not %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-tile-sizes=8,0 -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=INTS
// INTS: error: tessera: option 'tile-sizes' needs positive integers a,b,.., not '8,0'
//
// RUN: %source-ir %s > %t.ll
// RUN: %not %tessera-opt -passes='tessera<force=perhaps>' %t.ll -o /dev/null 2>&1 | %FileCheck %s --check-prefix=FLAG
// FLAG: error: tessera: option 'force' needs one of true|false, not 'perhaps'
// RUN: %not %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-nonsense -c %s -o %t.o

void gemm(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
