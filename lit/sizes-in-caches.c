// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the original waits for in farther caches counts at the sizes at which its data is there: register tiles of triangular
// products gain from 64 x 64 on, not from 768, where they would gain without caches. Backwards, where each column needs the
// old ones before it, they do with a copy of these: from sizes on at which vectors of the original, which lie across lines,
// are several. The same results, bit for bit.
//
// RUN: %clang -O3 -march=znver4 -ffp-contract=off -fpass-plugin=%plugin -Rpass=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O1 -ffp-contract=off -DMAIN %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -ffp-contract=off -DMAIN -fpass-plugin=%plugin %s -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -DMAIN -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out \
// RUN:   && diff %t.expected %t.out

#define NOINLINE __attribute__((noinline))

// CHECK: [[#@LINE+3]]:3: remark: loop nest transformed: {{.*}}register tiles of {{.*}}; runs where p_0 >= {{[1-9][0-9]}} [
NOINLINE void forwards(long m, long n, double B[restrict n][m], double A[restrict n][n], double alpha)
{
  for (long j = 0; j < n; j++) {
    for (long i = 0; i < m; i++)
      B[j][i] *= alpha;
    for (long k = j + 1; k < n; k++)
      for (long i = 0; i < m; i++)
        B[j][i] += A[j][k] * B[k][i];
  }
}

// CHECK: [[#@LINE+3]]:3: remark: loop nest transformed: {{.*}}register tiles of {{.*}}; runs where p_0 >= {{[1-9][0-9]}} and p_0 * p_2 >= {{[1-9][0-9][0-9][0-9]}} [
NOINLINE void backwards(long m, long n, double B[restrict n][m], double A[restrict n][n], double alpha)
{
  for (long j = n - 1; j >= 0; j--) {
    for (long i = 0; i < m; i++)
      B[j][i] *= alpha;
    for (long k = 0; k < j; k++)
      for (long i = 0; i < m; i++)
        B[j][i] += A[j][k] * B[k][i];
  }
}

#ifdef MAIN
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
  static const long sizes[] = {0, 1, 2, 15, 16, 17, 63, 64, 65, 97, 192, 193, 520};
  for (int s = 0; s < 13; s++)
    for (int less = 0; less < 2; less++) {
      long n = sizes[s], m = n - 3 * less > 0 ? n - 3 * less : 0;
      double *A = malloc(n * n * 8 + 1), *B = malloc(n * n * 8 + 1), sum = 0;
      for (long i = 0; i < n * n; i++) {
        A[i] = (double)(i % 97) / 700;
        B[i] = (double)(i % 89) / 3;
      }
      forwards(m, n, (void *)B, (void *)A, .25);
      for (long i = 0; i < n * m; i++)
        sum = sum * .7 + B[i];
      backwards(m, n, (void *)B, (void *)A, .125);
      for (long i = 0; i < n * m; i++)
        sum = sum * .7 + B[i];
      printf("%ld %ld %.17g\n", n, m, sum);
      free(A);
      free(B);
    }
}
#endif
