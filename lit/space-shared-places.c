// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers that are never in use at the same time are in the same place: two products one behind the other need no more memory
// than the one that needs more.
//
// RUN: %source-ir %s -march=znver4 -DFIRST -DSECOND | %tessera-opt -passes='tessera<only=products;force>' -S| %FileCheck %s --check-prefixes=BOTH,CHECK
// RUN: %source-ir %s -march=znver4 -DFIRST | %tessera-opt -passes='tessera<only=products;force>' -S | %FileCheck %s --check-prefixes=FIRST,CHECK
// RUN: %source-ir %s -march=znver4 -DSECOND | %tessera-opt -passes='tessera<only=products;force>' -S | %FileCheck %s --check-prefixes=SECOND,CHECK
// FIRST: call noalias ptr @__tessera_memory_take.1(i64 852032,
// SECOND: call noalias ptr @__tessera_memory_take.1(i64 852032,
// BOTH: call noalias ptr @__tessera_memory_take.1(i64 852032,
// CHECK-NOT: call noalias ptr @__tessera_memory_take.1
//
// RUN: %clang -O1 -ffp-contract=off -DFIRST -DSECOND %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -ffp-contract=off -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-force -DFIRST -DSECOND %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out
// REQUIRES: native-avx2

#include <stdio.h>

#define N 300

double a[N][N], b[N][N], c[N][N];
float d[N][N], e[N][N], f[N][N];

__attribute__((noinline)) void products(void)
{
#ifdef FIRST
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        c[i][j] += a[i][k] * b[k][j];
#endif
#ifdef SECOND
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        f[i][j] += d[i][k] * e[k][j];
#endif
}

int main(void)
{
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = i * 0.25 - j;
      b[i][j] = j * 0.5 - i;
      c[i][j] = i - j;
      d[i][j] = (float)(i * 3 % 17);
      e[i][j] = (float)(j * 5 % 19);
      f[i][j] = (float)(i + j);
    }
  products();
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum = sum * 0.999 + c[i][j] + f[i][j];
  printf("%.17g\n", sum);
  return 0;
}
