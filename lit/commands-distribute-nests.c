// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// distribute(nests): what is one behind the other in loops has these for itself, as far out as dependences allow, and loops in
// one another become one band where they may change places.
//
// DEFINE: %{compile} = %clang -O1 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/commands
// RUN: rm -rf %t && %split-file %s %t && cd %t && %clang -O1 -DMAIN a.c -o plain && ./plain > expected
// RUN: %{compile} -mllvm -tessera-print=ast a.c -o a 2> ast && ./a | diff expected -
// RUN: %FileCheck %s --input-file=ast
// RUN: %not %{compile} -mllvm -tessera-commands=refused -c a.c -o a.o 2>&1 | %FileCheck %s --check-prefix=REFUSED
//
// A product in an outer loop: the loops over i and j, not that over r, which T keeps together.
// CHECK-LABEL: tessera: inner.0
// CHECK-NEXT: for (int c0 = 0; c0 < n; c0 += 1) {
// CHECK-NEXT:   for (int c1 = 0; c1 < n; c1 += 1)
// CHECK-NEXT:     for (int c2 = 0; c2 < n; c2 += 1)
// CHECK-NEXT:       S0(c0, c1, c2);
// CHECK-NEXT:   for (int c1 = 0; c1 < n; c1 += 1)
// CHECK-NEXT:     for (int c2 = 0; c2 < n; c2 += 1)
// CHECK-NEXT:       for (int c3 = 0; c3 < n; c3 += 1)
// CHECK-NEXT:         S1(c0, c1, c2, c3);
// CHECK-NEXT:   for (int c1 = 0; c1 < n; c1 += 1)
// CHECK-NEXT:     for (int c2 = 0; c2 < n; c2 += 1)
// CHECK-NEXT:       S2(c0, c1, c2);
// CHECK-NEXT: }
//
// The second statement needs what the first one does later: they stay in one loop, the third doesn't.
// CHECK-LABEL: tessera: chain.0
// CHECK-NEXT: {
// CHECK-NEXT:   for (int c0 = 0; c0 < n - 1; c0 += 1) {
// CHECK-NEXT:     S0(c0);
// CHECK-NEXT:     S1(c0);
// CHECK-NEXT:   }
// CHECK-NEXT:   for (int c0 = 0; c0 < n - 1; c0 += 1)
// CHECK-NEXT:     S2(c0);
// CHECK-NEXT: }
//
// REFUSED: refused:2:3: distribute: there are no loops for distribution

//--- commands
inner:
  distribute(nests)
  only
chain:
  distribute(nests)
  only
//--- refused
together:
  distribute(nests)
//--- a.c
#include <stdio.h>
#define N 40
double A[N][N], B[N][N], D[N][N], T[N][N], x[N], y[N], z[N];

__attribute__((noinline)) void inner(int n)
{
  for (int r = 0; r < n; r++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        T[i][j] = r;
        for (int k = 0; k < n; k++)
          T[i][j] += A[r][k] * B[k][j];
        D[j][i] += 0.125 * T[i][j];
      }
}

__attribute__((noinline)) void chain(int n)
{
  for (int i = 1; i < n; i++) {
    x[i] = y[i - 1] + 1;
    y[i] = x[i] * 0.5;
    z[i] = z[i] * 0.5 + i;
  }
}

__attribute__((noinline)) void together(int n)
{
  for (int i = 1; i < n; i++) {
    x[i] += y[i - 1];
    y[i] += x[i] * 0.5;
  }
}

int main(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * 7 + j) % 5 - 2;
      B[i][j] = (i + j * 3) % 7 - 3;
    }
  double sum = 0;
  for (int n = 0; n < N; n += n < 5 ? 1 : 17) {
    inner(n);
    chain(n);
    together(n);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        sum = sum * 0.5 + T[i][j] + D[i][j] + x[i] + y[j] + z[i];
    printf("%.17g\n", sum);
  }
}
