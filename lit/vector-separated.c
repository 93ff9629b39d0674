// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// First and last iterations of a loop for vectors, in which not all statements run, stand in front of it and behind it: there
// are no conditions in the loop. What a condition of the loops around decides is a loop of its own.
//
// RUN: %clang -O3 -march=znver5 -fpass-plugin=%plugin -mllvm -tessera-print=ast -c -o /dev/null %s 2>&1 | %FileCheck %s
// RUN: %clang -O3 -march=znver5 -gline-tables-only -fpass-plugin=%plugin -mllvm -tessera-only=shifted -Rpass=loop-vectorize -c -o /dev/null %s 2>&1 | %FileCheck %s --check-prefix=VECTOR
// RUN: %clang -O1 -DRUN %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -DRUN -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t.tsr && %t.tsr | diff %t.expected -
#include <stdio.h>
#define N 32000
#define NOINLINE __attribute__((noinline))
static float a[N + 1], b[N + 1], c[N + 1], d[N + 1];
static int score[99][99], gap[99];

// CHECK-LABEL: tessera: shifted.0
// CHECK:       // vector
// CHECK-NEXT:  {
// CHECK-NEXT:    S0(0);
// CHECK-NEXT:    for (int c0 = 1; c0 <= 31998; c0 += 1) {
// CHECK-NEXT:      S1(c0 - 1);
// CHECK-NEXT:      S0(c0);
// CHECK-NEXT:    }
// CHECK-NEXT:    S1(31998);
// VECTOR: vector-separated.c:[[#@LINE+3]]:3: remark: vectorized loop
NOINLINE void shifted(void)
{
  for (int i = 0; i < N - 1; i++) {
    a[i] *= c[i];
    b[i] += a[i + 1] * d[i];
  }
}

// CHECK-LABEL: tessera: gaps.0
// CHECK:       // vector
// CHECK-NEXT:  if (c0 >= c1 + 1) {
// CHECK-NEXT:    for (int c2 =
// CHECK-NEXT:      S1(
// CHECK-NEXT:  } else if ({{.*}}c1 >= c0 + 1) {
// CHECK-NEXT:    for (int c2 =
// CHECK-NEXT:      S2(
// CHECK-NEXT:  } else {{.*}}{
// CHECK-NEXT:    for (int c2 =
NOINLINE void gaps(int m, int n)
{
  for (int i = 1; i <= m; i++)
    for (int j = 1; j <= n; j++) {
      int best = 0;
      for (int k = 1; k <= i; k++)
        best = best > score[i - k][j] - gap[k] ? best : score[i - k][j] - gap[k];
      for (int k = 1; k <= j; k++)
        best = best > score[i][j - k] - gap[k] ? best : score[i][j - k] - gap[k];
      score[i][j] = best;
    }
}

#ifdef RUN
int main(void)
{
  static const int size[] = {0, 1, 2, 3, 4, 5, 8, 17, 31, 33, 97, N};
  for (unsigned k = 0; k < sizeof(size) / sizeof(*size); k++) {
    int n = size[k];
    double sum = 0;
    long best = 0;
    for (int i = 0; i <= N; i++) {
      a[i] = i % 7 * 0.25f;
      b[i] = i % 11 * 0.5f;
      c[i] = i % 13 * 0.125f;
      d[i] = i % 5;
    }
    for (int i = 0; i < 99; i++) {
      gap[i] = i % 9;
      for (int j = 0; j < 99; j++)
        score[i][j] = i * j % 23;
    }
    shifted();
    gaps(n < 98 ? n : 98, n / 2 < 98 ? n / 2 : 98);
    gaps(n / 3 < 98 ? n / 3 : 98, n < 98 ? n : 98);
    for (int i = 0; i <= N; i++)
      sum = sum * 0.9 + a[i] + 2 * b[i];
    for (int i = 0; i < 99; i++)
      for (int j = 0; j < 99; j++)
        best = best * 3 + score[i][j];
    printf("%d %a %ld\n", n, sum, best);
  }
}
#endif
