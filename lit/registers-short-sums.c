// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of a few products: what a register tile loads and stores for each run isn't spread over many steps, and plain loops
// for vectors, which keep what their innermost loop leaves alone, are as fast. Long sums get tiles.
//
// RUN: %clang -O3 -march=x86-64-v4 -fpass-plugin=%plugin -mllvm -tessera-print=ast -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-only=distances -Rpass-missed=tessera -c %s -o %t.o 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=FAR
// RUN: %clang -O3 -march=znver4 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-only=distances -Rpass-missed=tessera -c %s -o %t.o 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=FAR
// RUN: %clang -O1 -ffp-contract=off -DMAIN %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -ffp-contract=off -DMAIN -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out \
// RUN:   && diff %t.expected %t.out

// CHECK: tessera: short4
// CHECK-NEXT: tessera: long1000
// CHECK: // registers
#define PRODUCT(name, L)                                                                                                 \
  __attribute__((noinline)) void name(long n, float C[restrict n][n], float A[restrict n][L], float B[restrict L][n])   \
  {                                                                                                                      \
    for (long i = 0; i < n; i++)                                                                                         \
      for (long j = 0; j < n; j++)                                                                                       \
        for (long k = 0; k < L; k++)                                                                                     \
          C[i][j] += A[i][k] * B[k][j];                                                                                  \
  }
PRODUCT(short4, 4)
PRODUCT(long1000, 1000)

// Tiles would pass over memory twice, once for what the sums begin with; that this could be stored past the caches is no
// reason for them.
// FAR: the estimated cost is not lower
__attribute__((noinline)) void distances(long n, float D[restrict n][n], float *restrict P)
{
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      float sum = 0;
      for (long k = 0; k < 4; k++) {
        float d = P[4 * i + k] - P[4 * j + k];
        sum += d * d;
      }
      D[i][j] = sum;
    }
}

#ifdef MAIN
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
  static const long sizes[] = {0, 1, 2, 15, 16, 17, 63, 64, 65, 97};
  for (int s = 0; s < 10; s++) {
    long n = sizes[s];
    float *A = malloc(n * 4000 + 1), *B = malloc(n * 4000 + 1), *C = calloc(n * n + 1, 4), sum = 0;
    for (long i = 0; i < n * 1000; i++) {
      A[i] = (float)(i % 97) / 7;
      B[i] = (float)(i % 89) / 3;
    }
    short4(n, (void *)C, (void *)A, (void *)B);
    long1000(n, (void *)C, (void *)A, (void *)B);
    for (long i = 0; i < n * n; i++)
      sum = sum * .7f + C[i];
    distances(n, (void *)C, B);
    for (long i = 0; i < n * n; i++)
      sum = sum * .7f + C[i];
    printf("%ld %.9g\n", n, sum);
    free(A);
    free(B);
    free(C);
  }
}
#endif
