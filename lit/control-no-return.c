// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that never return: a main that ends with exit, as many programs have it, whose end is no error, and a loop
// without an end, left by exit in its middle. The nests in both are modelled whole.
//
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -g -Rpass=tessera %s -o %t 2>&1 | %FileCheck %s
// RUN: %clang -O1 -march=x86-64-v3 -ffp-contract=off %s -o %t.plain
//
// REQUIRES: native-avx2
//
// RUN: %t 97 > %t.out && %t.plain 97 | diff - %t.out
// RUN: %t 1 > %t.out && %t.plain 1 | diff - %t.out
// RUN: not %t 0 && not %t.plain 0
//
// CHECK-DAG: no-return.c:30:{{.*}}: loop nest transformed: {{.*}}register tiles
// CHECK-DAG: no-return.c:54:{{.*}}: loop nest transformed: {{.*}}register tiles
#include <stdio.h>
#include <stdlib.h>

long now(void)
{
  static long ticks;
  return ticks++ ? 1 : 0;
}

/* Never returns: steps of a product until the time is over. */
_Noreturn void serve(double *c, const double *a, const double *b, int n)
{
  for (;;) {
    long t = now();
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
          c[i * n + j] += a[i * n + k] * b[k * n + j];
    if (t) {
      printf("served %.17g %.17g\n", c[0], c[n * n - 1]);
      exit(0);
    }
  }
}

int main(int argc, char **argv)
{
  long n = argc > 1 ? atol(argv[1]) : 0;
  if (n < 1)
    exit(1);
  double *a = malloc(n * n * 8), *b = malloc(n * n * 8), *c = calloc(n * n, 8);
  if (!a || !b || !c)
    exit(1);
  for (long i = 0; i < n * n; i++)
    a[i] = (double)(i % 7) / 3, b[i] = (double)(i % 11) / 7;
  for (int rounds = 0; rounds < 2; rounds++) {
    if (rounds == 1)
      printf("round %d %.17g\n", rounds, c[n - 1]);
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
          c[i + j * n] += a[i + k * n] * b[k + j * n];
  }
  double sum = 0;
  for (long i = 0; i < n * n; i++)
    sum += c[i] * (double)(i % 5);
  printf("%.17g\n", sum);
  if (sum < 0)
    exit(2);
  serve(c, a, b, (int)n);
}
