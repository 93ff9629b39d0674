// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A condition that keeps an innermost loop from adding multiples of zero is assumed to hold, if no element that it asks
// about is zero: that is tested in front of the nest, which reads what the original reads, and nothing else. Not if the nest
// has written what is read: each statement asks for that then. Nor for other conditions, nor in front of what is loaded
// behind the condition alone. What would
// multiply by one is skipped, too, by a factor that comes about in one of several ways, of which parameters choose one.
//
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ \
// RUN:   -gline-tables-only -Rpass=tessera -Rpass-missed=tessera %s -o %t 2>&1 \
// RUN:   | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^ask_ -gline-tables-only \
// RUN:   -Rpass=tessera -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=ASKED

// CHECK: :[[@LINE+16]]:{{[0-9]+}}: remark: loop nest transformed
// CHECK: :[[@LINE+26]]:{{[0-9]+}}: remark: loop nest transformed
// CHECK: :[[@LINE+38]]:{{[0-9]+}}: remark: loop nest transformed
// CHECK: :[[@LINE+46]]:{{[0-9]+}}: remark: loop nest transformed
// CHECK: :[[@LINE+59]]:{{[0-9]+}}: remark: loop nest transformed

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define TEST __attribute__((noinline))

TEST void test_rank(int n, int depth, double alpha, const double *restrict a, double *restrict c, int lda, int ldc)
{
  for (int j = 0; j < n; j++)
    for (int l = 0; l < depth; l++)
      if (a[j + l * lda] != 0) {
        double t = alpha * a[j + l * lda];
        for (int i = 0; i <= j; i++)
          c[i + j * ldc] += t * a[i + l * lda];
      }
}

TEST void test_either(int n, int depth, const float *a, const float *b, float *c, int ld)
{
  for (int j = 0; j < n; j++)
    for (int l = 0; l < depth; l++)
      if ((a[j + l * ld] != 0) | (b[j + l * ld] != 0)) {
        float s = a[j + l * ld], t = b[j + l * ld];
        for (int i = 0; i < n; i++)
          c[i + j * ld] += a[i + l * ld] * t + b[i + l * ld] * s;
      }
}

/* What SCALE points to is only read where y isn't zero. */
TEST void test_behind(int m, int n, const double *scale, const double *restrict x, const double *restrict y,
                      double *restrict a, int ld)
{
  for (int j = 0; j < n; j++)
    if (y[j] != 0)
      for (int i = 0; i < m; i++)
        a[i + j * ld] += x[i] * (y[j] * *scale);
}

/* Each element is asked about before it changes. */
TEST void test_in_place(int n, int m, int unit, const double *alpha, const double *restrict a, double *restrict b, int ld)
{
  for (int j = 0; j < n; j++)
    for (int k = 0; k < m; k++)
      if (b[k + j * ld] != 0) {
        double t = *alpha * b[k + j * ld];
        for (int i = 0; i < k; i++)
          b[i + j * ld] += t * a[i + k * ld];
        if (!unit)
          t *= a[k + k * ld];
        b[k + j * ld] = t;
      }
}

TEST void test_factors(int n, int m, int unit, double alpha, const double *restrict a, double *restrict b, int ld)
{
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < k; j++)
      if (a[j + k * ld] != 0) {
        double t = alpha * a[j + k * ld];
        for (int i = 0; i < m; i++)
          b[i + j * ld] += t * b[i + k * ld];
      }
    double t = alpha;
    if (!unit)
      t = t * a[k + k * ld];
    if (t != 1)
      for (int i = 0; i < m; i++)
        b[i + k * ld] = t * b[i + k * ld];
  }
}

// ASKED: :[[@LINE+4]]:{{[0-9]+}}: remark: loop nest transformed: {{.*}}register tiles
/* The nest writes what the condition reads: statements ask for it (control-guarded-tiles.c). */
TEST void ask_solve(int n, int m, const double *restrict a, double *restrict b, int ld)
{
  for (int j = 0; j < n; j++)
    for (int k = 0; k < m; k++)
      if (b[k + j * ld] != 0)
        for (int i = k + 1; i < m; i++)
          b[i + j * ld] -= b[k + j * ld] * a[i + k * ld];
}

/* As likely as not */
TEST void ask_positive(int n, int m, const double *restrict a, double *restrict b, int ld)
{
  for (int j = 0; j < n; j++)
    if (a[j] > 0)
      for (int i = 0; i < m; i++)
        b[i + j * ld] -= a[j] * a[i];
}

#define LD 70
static double c[LD * LD], fresh[LD * LD];
static float fa[LD * LD], fb[LD * LD], fc[2 * LD * LD];

static void show(const char *what, const void *values, size_t size, size_t bytes)
{
  unsigned long sum = 0;
  for (size_t i = 0; i < bytes / size; i++) {
    double x = size == 8 ? ((const double *)values)[i] : ((const float *)values)[i];
    unsigned long bits;
    memcpy(&bits, &x, sizeof(bits));
    sum = sum * 31 + (x == x ? bits : 99); /* any NaN is as good */
  }
  printf("%s %lx\n", what, sum);
}

/* COUNT numbers that end where memory ends */
static double *last(size_t count)
{
  static char *at;
  const size_t room = 1 << 16;
  if (!at) {
    at = mmap(NULL, 2 * room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(at + room, room, PROT_NONE);
  }
  return (double *)(at + room) - count;
}

static double number(int kind)
{
  static const double special[] = {0, -0.0, NAN, INFINITY, 1e-310};
  return kind && rand() % (kind * kind * 200) == 0 ? special[rand() % 5] : rand() % 1000 / 999.0 - 0.5003;
}

int main(void)
{
  static const int size[] = {0, 1, 2, 7, 8, 9, 16, 31, 33, 67};
  for (int k = 0; k < 500; k++) {
    int n = size[rand() % 10], m = size[rand() % 10], kind = rand() % 4;
    for (int i = 0; i < LD * LD; i++)
      fresh[i] = number(kind), fa[i] = number(kind), fb[i] = number(kind);
    for (int i = 0; i < 2 * LD * LD; i++)
      fc[i] = number(kind);
    double *a = last(n * m);
    for (int i = 0; i < n * m; i++)
      a[i] = number(kind);
    if (n * m && rand() % 4 == 0) /* the last that is asked about, or the first */
      a[rand() % 2 ? n * m - 1 : 0] = 0;
    memcpy(c, fresh, sizeof(c));
    test_rank(n, m, number(kind), a, c, n, LD), show("rank", c, 8, sizeof(c));
    test_either(n, m, fa, fb, fc, LD), show("either", fc, 4, sizeof(fc));
    test_either(n, m, fa, fb, fc, LD), show("either", fc, 4, sizeof(fc));
    test_either(n, m, fc, fb, fc + rand() % (LD * LD), LD), show("overlap", fc, 4, sizeof(fc));
    if (n * m) {
      double *y = last(n * m), scale = 0.7;
      test_behind(LD, n, &scale, fresh, y, c, LD), show("behind", c, 8, sizeof(c));
      memset(y, 0, sizeof(*y) * n * m);
      test_behind(LD, n * m < LD ? n * m : LD, NULL, fresh, y, c, LD), show("nowhere", c, 8, sizeof(c));
    }
    double alpha = rand() % 5 ? number(kind) : 1;
    int unit = rand() % 2;
    test_in_place(n, m, unit, &alpha, fresh, c, LD), show("in place", c, 8, sizeof(c));
    memcpy(c, fresh, sizeof(c));
    if (rand() % 9 == 0)
      fresh[m / 2 * (LD + 1)] = 1 / alpha;
    test_factors(n, m, unit, alpha, fresh, c, LD), show("factors", c, 8, sizeof(c));
    ask_solve(n, m, fresh, c, LD), show("solve", c, 8, sizeof(c));
    ask_positive(n, m, fresh, c, LD), show("positive", c, 8, sizeof(c));
  }
}
