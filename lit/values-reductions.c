// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions that may be reordered have the same value for every number of threads: a sum of negative zeros stays negative,
// partial sums of integers may wrap.
//
// REQUIRES: gomp
// RUN: %clang -O2 %s -lm -lgomp -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -gline-tables-only \
// RUN:   -Rpass=tessera %s -lm -lgomp -o %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=1 %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=2 %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=7 %t > %t.out && diff %t.expected %t.out

// CHECK: loop nest transformed

#include <stdint.h>
#include <stdio.h>

#define N 130

__attribute__((noinline)) double sum(double a[N][N], double x)
{
#pragma clang fp reassociate(on)
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      x += a[i][j];
  return x;
}

__attribute__((noinline)) double product(double a[N][N], double x)
{
#pragma clang fp reassociate(on)
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      x *= a[i][j];
  return x;
}

__attribute__((noinline)) void integers(int32_t *restrict sums, uint64_t *restrict mix, int32_t *restrict top, int32_t a[N][N])
{
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) {
      sums[i] += a[i][j]; /* signed: no order but this one may be free of overflow */
      *mix ^= (uint64_t)a[i][j] * 0x9e3779b97f4a7c15u;
      *top = a[i][j] > *top ? a[i][j] : *top;
    }
}

static double zero[N][N], one[N][N];
static int32_t big[N][N], sums[N];

int main(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      zero[i][j] = -0.0;
      one[i][j] = (i + j) % 5 ? 1 : (i + j) % 10 ? 2 : 0.5;
      big[i][j] = j % 4 == 0 || j % 4 == 3 ? INT32_MAX - i : -INT32_MAX + i;
    }
  /* +max -max -max +max ..: in this order nothing overflows */
  uint64_t mix = 0;
  int32_t top = INT32_MIN;
  integers(sums, &mix, &top, big);
  printf("%a %a %a\n", sum(zero, -0.0), sum(zero, 0.0), product(one, -1));
  printf("%llx %d\n", (unsigned long long)mix, top);
  for (int i = 0; i < N; i++)
    printf("%d\n", sums[i]);
}
