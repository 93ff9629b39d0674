// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On request updates of one sum, product, minimum or the like run in another order: of integers, of floating-point numbers
// only with reassoc. Each is a whole, and two of one element never run at once.
//
// REQUIRES: gomp
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-relax-reductions \
// RUN:   -mllvm -tessera-schedule=original -mllvm -tessera-tile-sizes=4 -mllvm -tessera-print=tree \
// RUN:   -mllvm -tessera-only='^product|^ordered|^real' %s -o %t 2>&1 | %FileCheck %s --check-prefix=RELAXED
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-schedule=original \
// RUN:   -mllvm -tessera-tile-sizes=4 -mllvm -tessera-print=tree -mllvm -tessera-only='^product$' -c %s -o /dev/null 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=STRICT
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-relax-reductions -mllvm -tessera-parallel \
// RUN:   -mllvm -tessera-tile-sizes=4 %s -lgomp -o %t
// RUN: env OMP_NUM_THREADS=1 %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-relax-reductions \
// RUN:   -mllvm -tessera-schedule=pluto -mllvm -tessera-parallel %s -lgomp -o %t
// RUN: env OMP_NUM_THREADS=1 %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out

// RELAXED: tessera: product.0
// RELAXED: floor((i{{[0-9]+}})/4){{.*}}floor((i{{[0-9]+}})/4)
// RELAXED: tessera: ordered.0
// RELAXED-NOT: floor((i{{[0-9]+}})/4){{.*}}floor((i{{[0-9]+}})/4)
// RELAXED: tessera: real.0
// RELAXED: floor((i{{[0-9]+}})/4){{.*}}floor((i{{[0-9]+}})/4)

// STRICT: tessera: product.0
// STRICT-NOT: floor((i{{[0-9]+}})/4){{.*}}floor((i{{[0-9]+}})/4)

#include <stdint.h>
#include <stdio.h>

#define N 43

/* a[i] * b[j] goes to c[i + j]: in program order only loops over i + j may be tiled. */
__attribute__((noinline)) void product(int32_t *restrict c, const int32_t *restrict a, const int32_t *restrict b)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      c[i + j] += a[i] * b[j];
}

/* The same of doubles: not without reassoc. */
__attribute__((noinline)) void ordered(double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      c[i + j] += a[i] * b[j];
}

__attribute__((noinline)) void real(double *restrict c, const double *restrict a, const double *restrict b)
{
#pragma clang fp reassociate(on)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      c[i + j] += a[i] * b[j];
}

__attribute__((noinline)) void differences(int32_t *restrict c, const int32_t *restrict a, const int32_t *restrict b)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      c[i + j] -= a[i] * b[j];
}

__attribute__((noinline)) void bits(uint32_t *restrict c, uint32_t *restrict d, uint32_t *restrict e, const int32_t *restrict a)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      c[i + j] ^= (uint32_t)a[i] * 2654435761u;
      d[i + j] &= ~(1u << (a[j] & 31));
      e[i + j] |= 1u << (a[i] & 31);
    }
}

__attribute__((noinline)) void extremes(int32_t *restrict least, int32_t *restrict most, uint32_t *restrict top,
                                        const int32_t *restrict a, const int32_t *restrict b)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      int32_t x = a[i] * 3 - b[j];
      least[i + j] = x < least[i + j] ? x : least[i + j];
      most[i + j] = most[i + j] > x ? most[i + j] : x;
      top[i + j] = (uint32_t)x > top[i + j] ? (uint32_t)x : top[i + j];
    }
}

/* Set, summed, used and set again: the updates stay between the others. */
__attribute__((noinline)) void around(int32_t *restrict x, int32_t *restrict y, const int32_t *restrict a)
{
  for (int i = 0; i < N; i++) {
    x[0] = i;
    for (int j = 0; j < N; j++)
      x[0] += a[j] * i;
    y[i] = x[0];
  }
}

/* Sums of sums: what is read is no sum yet. */
__attribute__((noinline)) void prefix(int32_t *restrict c)
{
  for (int i = 1; i < N; i++)
    for (int j = 0; j < N; j++)
      c[i] += c[i - 1];
}

static int32_t a[N], b[N], c[8][2 * N];
static uint32_t u[4][2 * N];
static double f[N], g[N], sum[2][2 * N];

int main(void)
{
  for (int i = 0; i < N; i++) {
    a[i] = i * 7919 % 131 - 60;
    b[i] = i * 104729 % 97 - 40;
    f[i] = 1.0 / (i + 3);
    g[i] = i % 8 - 3; /* sums of small integers don't depend on the order */
  }
  for (int i = 0; i < 2 * N; i++)
    u[1][i] = ~0u;
  /* c[0]: in program order nothing overflows, in others intermediate sums do */
  for (int i = 0; i < 2 * N; i++)
    c[0][i] = i % 2 ? INT32_MAX - 900000 : INT32_MIN + 900000;
  product(c[0], a, b);
  ordered(sum[0], f, f);
  real(sum[1], g, g);
  differences(c[1], a, b);
  bits(u[0], u[1], u[2], a);
  extremes(c[2], c[3], u[3], a, b);
  around(c[4], c[5], a);
  for (int i = 0; i < N; i++)
    c[6][i] = 1;
  for (int i = 0; i < N; i++)
    c[6][i] = i < 3;
  prefix(c[6]);
  for (int i = 0; i < 2 * N; i++) {
    for (int k = 0; k < 8; k++)
      printf("%d ", k == 6 && i > 5 ? 0 : c[k][i]);
    for (int k = 0; k < 4; k++)
      printf("%u ", u[k][i]);
    printf("%a %a\n", sum[0][i], sum[1][i]);
  }
}
