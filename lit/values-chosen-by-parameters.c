// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value that comes about in one of several ways, of which parameters choose one for the whole nest, is computed where it is
// used: by as many statements, each for the parameters of one way. Not where a way can't be gone anew, or something else than
// parameters chooses. A parameter that is only asked whether it is equal to a constant is a truth value.
//
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %clang -O3 -march=x86-64-v4 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-only='^(test|keep)_' \
// RUN:   -mllvm -tessera-force -gline-tables-only -Rpass=tessera -mllvm -tessera-dump=%t.d -c %s -o %t.o 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=TILES
// RUN: cat %t.d/test_operand.0.scop | %FileCheck %s --check-prefix=MOVED
// RUN: cat %t.d/test_operand.0.scop | %FileCheck %s --check-prefix=FLAG
// RUN: cat %t.d/test_scale.0.scop | %FileCheck %s --check-prefix=MOVED
// RUN: cat %t.d/test_scale.0.scop | %FileCheck %s --check-prefix=FLAG
// RUN: cat %t.d/test_three.0.scop | %FileCheck %s --check-prefix=MOVED
// RUN: cat %t.d/test_gather.0.scop | %FileCheck %s --check-prefix=MOVED
// RUN: cat %t.d/keep_data.0.scop | %FileCheck %s --check-prefix=KEPT
// RUN: cat %t.d/keep_written.0.scop | %FileCheck %s --check-prefix=KEPT
// RUN: cat %t.d/keep_order.0.scop | %FileCheck %s --check-prefix=ORDER
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin %s -o %t && %t > %t.out && diff %t.expected %t.out

// TILES: :[[@LINE+19]]:{{[0-9]+}}: remark: loop nest transformed: {{.*}}register tiles
// MOVED: statements:
// MOVED-NOT: {{(phi|val)}}{{[0-9]+}}[]
// FLAG: context: {{.*}}-1 <= p_{{[0-9]+}} <= 0
// FLAG: domain: {{.*}} p_{{[0-9]+}} = -1
// FLAG: domain: {{.*}} p_{{[0-9]+}} = 0
// KEPT: read: {{.*(phi|val)[0-9]+}}[]
// ORDER-NOT: -1 <= n <= 0

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST __attribute__((noinline))

/* A symmetric matrix of which one triangle is stored, from the right. */
TEST void test_operand(int m, int n, int upper, double alpha, const double *restrict a, const double *restrict b,
                       double *restrict c, int ld)
{
  for (int j = 0; j < n; j++)
    for (int k = 0; k < j; k++) {
      double t;
      if (upper != 0)
        t = alpha * a[k + j * ld];
      else
        t = alpha * a[j + k * ld];
      for (int i = 0; i < m; i++)
        c[i + j * ld] += t * b[i + k * ld];
    }
}

/* One of the ways is used besides. */
TEST void test_beside(int m, int n, int upper, double alpha, const double *restrict a, const double *restrict b,
                      double *restrict c, int ld)
{
  for (int j = 0; j < n; j++)
    for (int k = 0; k < j; k++) {
      double s = a[k + j * ld], t;
      if (upper != 0)
        t = s;
      else
        t = a[j + k * ld];
      for (int i = 0; i < m; i++)
        c[i + j * ld] += t * b[i + k * ld] + alpha * s;
    }
}

TEST void test_scale(int m, int n, int unit, const double *alpha, const double *restrict a, double *restrict b, int ld)
{
  for (int j = 0; j < n; j++) {
    double t = *alpha;
    if (unit != 7)
      t = t * a[j + j * ld];
    for (int i = 0; i < m; i++)
      b[i + j * ld] = t * b[i + j * ld];
  }
}

TEST void test_three(int n, int way, const float *restrict a, float *restrict b, int ld)
{
  for (int j = 0; j < n; j++) {
    float t;
    if (way > 0)
      t = a[j];
    else if (way < 0)
      t = a[j + ld];
    else
      t = a[2 * j] - a[j];
    for (int i = 0; i < n; i++)
      b[j + i * ld] += t;
  }
}

/* What uses the value also writes where nobody knows. */
TEST void test_gather(int n, int up, const double *restrict a, double *restrict b, const int *restrict at, int ld)
{
  for (int j = 0; j < n; j++) {
    double t;
    if (up != 0)
      t = a[j];
    else
      t = a[j + ld];
    for (int i = 0; i < n; i++)
      b[at[i]] += t;
  }
}

/* Data chooses. */
TEST void keep_data(int n, const double *restrict a, double *restrict b, int ld)
{
  for (int j = 0; j < n; j++) {
    double t;
    if (a[j] > 2)
      t = a[j + ld];
    else
      t = a[j];
    for (int i = 0; i < n; i++)
      b[j + i * ld] *= t;
  }
}

/* One way is from what the loop writes. */
TEST void keep_written(int n, int up, const double *restrict a, double *restrict b, int ld)
{
  for (int j = 0; j < n; j++) {
    double t;
    if (up != 0)
      t = a[j];
    else
      t = b[j];
    for (int i = 0; i < n; i++) {
      b[i] += t;
      b[j + (i + 1) * ld] += t;
    }
  }
}

/* The flag bounds a loop, too: a number. */
TEST void keep_order(int n, const double *restrict a, double *restrict b, int ld)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      if (n != 7)
        b[j + i * ld] += a[i];
      else
        b[j + i * ld] -= a[i];
}

enum { LD = 64 };
static double a[LD * LD * 2], b[LD * LD * 2], c[LD * LD * 2];
static float x[LD * LD * 2], y[LD * LD * 2];
static int at[LD];

static void fill(unsigned s)
{
  srand(s);
  for (int i = 0; i < LD * LD * 2; i++) {
    a[i] = rand() % 9 - 4, b[i] = rand() % 5 + 0.5, c[i] = rand() % 7;
    x[i] = (float)(rand() % 9), y[i] = (float)(rand() % 3);
  }
  for (int i = 0; i < LD; i++)
    at[i] = rand() % (3 * LD);
}

static void report(const char *name, int m, int n, int flag)
{
  double s = 0;
  for (int i = 0; i < LD * LD * 2; i++)
    s = s * 0.999 + b[i] + 3 * c[i] + 5 * (double)y[i];
  printf("%s %d %d %d %.17g\n", name, m, n, flag, s);
}

int main(void)
{
  static const int size[] = {0, 1, 2, 5, 6, 7, 8, 13, 31, 32, 33, 49, 63};
  static const int flags[] = {0, 1, -1, 7};
  double alpha = 1.5;
  for (unsigned i = 0; i < sizeof(size) / sizeof(*size); i++)
    for (unsigned f = 0; f < 4; f++) {
      int n = size[i], m = size[(i * 5 + f) % 13], flag = flags[f];
      fill(i * 4 + f);
      test_operand(m, n, flag, alpha, a, b, c, LD);
      report("operand", m, n, flag);
      test_beside(m, n, flag, alpha, a, b, c, LD);
      report("beside", m, n, flag);
      test_scale(m, n, flag, &alpha, a, b, LD);
      report("scale", m, n, flag);
      test_three(n < LD / 2 ? n : LD / 2, flag, x, y, LD);
      report("three", m, n, flag);
      test_gather(n, flag, a, b, at, LD);
      report("gather", m, n, flag);
      keep_data(n, a, b, LD);
      report("data", m, n, flag);
      fill(i * 4 + f + 1000);
      keep_written(n < 9 ? n : 9, flag, a, b, LD);
      report("written", m, n, flag);
      keep_order(n, a, c, LD);
      report("order", m, n, flag);
    }
  return 0;
}
