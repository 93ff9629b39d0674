// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that have become arrays are the same, bit for bit, and what is done with them, too: at many sizes, with rows longer
// than what is used, numbers that are none, infinite ones and both zeros; by default, forced, late, with threads, with other
// types, without memory, and with more than is allowed.
//
// REQUIRES: gomp
// DEFINE: %{flags} =
// DEFINE: %{options} =
// DEFINE: %{tessera} = -fpass-plugin=%plugin -mllvm -tessera-module-budget=0
// DEFINE: %{run} = %clang -O1 -ffp-contract=off %{flags} %s -o %t.plain && %t.plain > %t.expected \
// DEFINE:   && %clang -O2 -ffp-contract=off %{flags} %{tessera} %{options} %s -lgomp -o %t \
// DEFINE:   && env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out
//
// RUN: %{run}
// REDEFINE: %{flags} = -march=x86-64-v3
// RUN: %{run}
// REDEFINE: %{flags} = -march=x86-64-v3 -DNO_MEMORY
// RUN: %{run}
// REDEFINE: %{flags} = -march=x86-64-v3 -DT=float
// RUN: %{run}
// REDEFINE: %{options} = -mllvm -tessera-parallel
// RUN: %{run}
// REDEFINE: %{options} = -mllvm -tessera-position=late
// RUN: %{run}
// REDEFINE: %{flags} = -march=x86-64-v3 -DT=int -fwrapv
// REDEFINE: %{options} = -mllvm -tessera-force
// RUN: %{run}
// REDEFINE: %{flags} = -march=x86-64-v3 -DLARGE
// REDEFINE: %{options} =
// RUN: %{run}
//
// RUN: rm -rf %t.scops && mkdir %t.scops
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off %{tessera} -mllvm -tessera-dump=%t.scops -c %s -o %t.o
// RUN: ls %t.scops | %FileCheck %s
// CHECK-DAG: form_dots.0.expanded.scop
// CHECK-DAG: form_if.0.expanded.scop
// CHECK-DAG: form_below.0.expanded.scop
// CHECK-DAG: form_above.0.expanded.scop
// CHECK-DAG: form_batch.0.expanded.scop
// CHECK-DAG: form_begun.0.expanded.scop
// CHECK-DAG: form_twice.0.expanded.scop
// CHECK-DAG: form_positive.0.expanded.scop
// CHECK-DAG: form_symmetric.0.expanded.scop
// CHECK-DAG: form_down.0.expanded.scop
// CHECK-DAG: form_long.0.expanded.scop
// CHECK-DAG: form_two.0.expanded.scop
// CHECK-DAG: form_upper.0.expanded.scop
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef T
#define T double
#endif
#define LIST int m, int n, int l, T alpha, T beta, int ld, T *restrict a, T *restrict b, T *restrict c, T *restrict d
#define ROW(X, I) ((X) + (long)(I) * ld)
#define FORM __attribute__((noinline)) void

FORM form_dots(LIST)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      T s = 0;
      for (int k = 0; k < l; k++)
        s += ROW(a, i)[k] * ROW(b, j)[k];
      ROW(c, j)[i] = alpha * s + beta * ROW(c, j)[i];
    }
}

FORM form_if(LIST)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      T s = 0;
      for (int k = 0; k < l; k++)
        s += ROW(a, i)[k] * ROW(b, k)[j];
      if (beta == 0)
        ROW(c, j)[i] = alpha * s;
      else
        ROW(c, j)[i] = alpha * s + beta * ROW(c, j)[i];
    }
}

FORM form_below(LIST)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++) {
      T s = 0;
      for (int k = 0; k < l; k++)
        s += ROW(a, i)[k] * ROW(a, j)[k];
      ROW(c, j)[i] = alpha * s + beta * ROW(c, j)[i];
    }
}

FORM form_above(LIST)
{
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      T s = 0;
      for (int k = 0; k < l; k++)
        s += ROW(a, i)[k] * ROW(a, j)[k];
      ROW(c, j)[i] = alpha * s + beta * ROW(c, j)[i];
    }
}

/* The loop around both uses the elements again. */
FORM form_batch(LIST)
{
  for (int t = 0; t < 3; t++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++) {
        T s = 0;
        for (int k = 0; k < l; k++)
          s += ROW(a, i)[k] * ROW(b, j)[k];
        ROW(c, j)[i] = alpha * s + beta * ROW(c, j)[i];
      }
}

FORM form_begun(LIST)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      T s = d[j];
      for (int k = 0; k < l; k++)
        s -= ROW(a, i)[k] * ROW(b, j)[k];
      ROW(c, j)[i] = ROW(c, j)[i] - s;
    }
}

FORM form_twice(LIST)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      T s = 1;
      for (int k = 0; k < l; k++)
        s = s * beta + ROW(a, i)[k] * ROW(b, j)[k];
      ROW(c, j)[i] += s * s + alpha;
      ROW(d, j)[i] -= s;
    }
}

FORM form_positive(LIST)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      T s = 0;
      for (int k = 0; k < l; k++)
        s += ROW(a, i)[k] * ROW(b, j)[k];
      ROW(c, j)[i] += s > 0 ? s : alpha;
    }
}

FORM form_two(LIST)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      T s = 0, t = 0;
      for (int k = 0; k < l; k++) {
        s += ROW(a, k)[i] * ROW(b, k)[j];
        t += ROW(b, k)[i] * ROW(a, k)[j];
      }
      ROW(c, j)[i] = alpha * s + alpha * t + beta * ROW(c, j)[i];
    }
}

FORM form_symmetric(LIST)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      T s = alpha * ROW(b, j)[i], t = 0;
      for (int k = 0; k < i; k++) {
        ROW(c, j)[k] += s * ROW(a, i)[k];
        t += ROW(b, j)[k] * ROW(a, i)[k];
      }
      ROW(c, j)[i] = beta * ROW(c, j)[i] + s * ROW(a, i)[i] + alpha * t;
    }
}

FORM form_down(LIST)
{
  for (int j = n - 1; j >= 0; j--)
    for (int i = m - 1; i >= 0; i--) {
      T s = 0;
      for (int k = l - 1; k >= 0; k--)
        s += ROW(a, i)[k] * ROW(b, j)[k];
      ROW(c, j)[i] = alpha * s + beta * ROW(c, j)[i];
    }
}

FORM form_long(long m, long n, long l, T alpha, T beta, long ld, T *restrict a, T *restrict b, T *restrict c)
{
  for (long j = 2; j < n; j++)
    for (long i = 1; i < m; i++) {
      T s = 0;
      for (long k = 0; k < l; k++)
        s += a[k * ld + i] * b[j * ld + k];
      c[j * ld + i] = alpha * s + beta * c[j * ld + i];
    }
}

/* Products in place: an element is written when others still need what was in it, or no longer. */
FORM form_upper(LIST)
{
  for (int j = 0; j < n; j++)
    for (int i = m - 1; i >= 0; i--) {
      T s = ROW(c, j)[i];
      if (l & 1)
        s *= ROW(a, i)[i];
      for (int k = 0; k < i; k++)
        s += ROW(a, i)[k] * ROW(c, j)[k];
      ROW(c, j)[i] = alpha * s;
    }
}

FORM form_lower(LIST)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      T s = ROW(c, j)[i];
      for (int k = i + 1; k < m; k++)
        s += ROW(a, i)[k] * ROW(c, j)[k];
      ROW(c, j)[i] = alpha * s;
    }
}

/* The sums need elements that are complete. */
FORM form_solve(LIST)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      T s = alpha * ROW(c, j)[i];
      for (int k = 0; k < i; k++)
        s -= ROW(a, i)[k] * ROW(c, j)[k];
      ROW(c, j)[i] = s * beta;
    }
}

/* Bounds behind a pointer, which the elements can't overwrite, whatever else may. */
static int sizes[3];
static int *where = sizes;

FORM form_behind(LIST)
{
  int *size = where;
  size[0] = m, size[1] = n, size[2] = l;
  for (int j = 0; j < size[1]; j++)
    for (int i = 0; i < size[0]; i++) {
      T s = 0;
      for (int k = 0; k < size[2]; k++)
        s += ROW(a, i)[k] * ROW(b, j)[k];
      ROW(c, j)[i] = alpha * s + beta * ROW(c, j)[i];
    }
}

static void (*const form[])(LIST) = {form_dots,  form_if,    form_below,    form_above, form_batch,
                                     form_begun, form_twice, form_positive, form_two,   form_symmetric,
                                     form_down,  form_upper, form_lower,    form_solve, form_behind};
#define FORMS (sizeof(form) / sizeof(form[0]))

#ifdef NO_MEMORY
static int refuse;
extern void *__libc_malloc(size_t size);
void *malloc(size_t size)
{
  return refuse ? NULL : __libc_malloc(size);
}
#endif

static void fill(T *x, size_t n, unsigned seed, int special)
{
  static const double odd[] = {0.0, -0.0, 1.0, NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = (T)((double)(seed >> 8) / (1 << 20) - 8);
    if (special && (T)0.5 != 0 && seed >> 27 == 0)
      x[i] = (T)odd[(seed >> 8) % (special == 1 ? 3 : 6)];
  }
}

static unsigned long hash(const T *x, size_t n)
{
  unsigned long h = 1;
  for (size_t i = 0; i < n; i++) {
    unsigned long bits = 0;
    T value = (double)x[i] == (double)x[i] ? x[i] : (T)0.5; /* of those that are none, the bits don't count */
    memcpy(&bits, &value, sizeof(value));
    h = (h ^ bits) * 1099511628211u;
  }
  return h;
}

static void run(unsigned f, int m, int n, int l, int plus, T alpha, T beta, int special)
{
  int ld = (m > n ? m : n) > l ? (m > n ? m : n) : l;
  ld += plus + 1;
  size_t all = (size_t)ld * (size_t)ld;
  T *x[4];
  for (unsigned i = 0; i < 4; i++) {
    x[i] = malloc(all * sizeof(T));
    fill(x[i], all, i + 1, special);
  }
#ifdef NO_MEMORY
  refuse = 1;
#endif
  if (f < FORMS)
    form[f](m, n, l, alpha, beta, ld, x[0], x[1], x[2], x[3]);
  else
    form_long(m, n, l, alpha, beta, ld, x[0], x[1], x[2]);
#ifdef NO_MEMORY
  refuse = 0;
#endif
  printf("%u %d %d %d %d %g %g %d:", f, m, n, l, plus, (double)alpha, (double)beta, special);
  for (int i = 0; i < 4; i++) {
    printf(" %lx", hash(x[i], all));
    free(x[i]);
  }
  printf("\n");
}

int main(void)
{
#ifdef LARGE /* more elements than new code has memory for, few steps of the sum */
  run(0, 2900, 2903, 9, 0, 2, 3, 0);
  run(2, 0, 3000, 9, 0, 2, 3, 0);
  run(1, 2000, 2003, 9, 0, 2, 0, 0);
  return 0;
#endif
  static const int size[][3] = {{0, 3, 2},    {3, 0, 2},    {3, 2, 0},   {1, 1, 1},     {2, 3, 1},   {1, 7, 5},
                                {5, 7, 3},    {8, 8, 8},    {13, 12, 9}, {24, 25, 48},  {17, 33, 9}, {64, 65, 31},
                                {31, 5, 130}, {51, 50, 61}, {100, 3, 8}, {97, 101, 103}};
  static const T factor[][2] = {{2, 3}, {1, 1}, {1, 0}, {0, 3}, {-1, 1}};
  for (unsigned f = 0; f <= FORMS; f++)
    for (size_t s = 0; s < sizeof(size) / sizeof(size[0]); s++)
      for (size_t x = 0; x < (s > 8 ? 2 : sizeof(factor) / sizeof(factor[0])); x++)
        for (int special = 0; special < 3; special++)
          run(f, size[s][0], size[s][1], size[s][2], special ? 0 : 3, factor[(x + 2 * (s & 1)) % 5][0],
              factor[(x + 2 * (s & 1)) % 5][1], special);
  return 0;
}
