// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Around the sizes from which on new code runs, and at none, one and prime ones, results are those of the original, bit for bit.
//
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin %s -o %t.default && %t.default | diff %t.expected -
// RUN: %clang -O3 -march=native -ffp-contract=off -fpass-plugin=%plugin %s -o %t.native && %t.native | diff %t.expected -
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-position=late %s -o %t.late && %t.late | diff %t.expected -
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-parallel %s -lgomp -o %t.threads \
// RUN:   && %t.threads | diff %t.expected -

#include <stdio.h>
#include <string.h>
#define NOINLINE __attribute__((noinline))

enum { MOST = 67 };
static double a[MOST * MOST], b[MOST * MOST], c[MOST * MOST];

static void product(int m, int n, int l, const double *x, const double *y, double *z)
{
  for (int i = 0; i < m; i++)
    for (int k = 0; k < l; k++)
      for (int j = 0; j < n; j++)
        z[i * n + j] += x[i * l + k] * y[k * n + j];
}

NOINLINE static void dots(int m, int n, int l, const double *x, const double *y, double *z)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < l; k++)
        sum += x[i * l + k] * y[j * l + k];
      z[i * n + j] = sum;
    }
}

NOINLINE static void vector(int m, int n, const double *x, const double *y, double *z)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      z[i] += x[i * n + j] * y[j];
}

NOINLINE static void solve(int m, int n, const double *x, const double *y, double *z)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      z[i * n + j] = y[i * n + j];
      for (int k = 0; k < i; k++)
        z[i * n + j] -= x[i * m + k] * z[k * n + j];
    }
}

NOINLINE static void filter(int first, int last, int l, const double *x, const double *y, double *z)
{
  for (int i = first; i <= last; i++) {
    double sum = 0;
    for (int k = 0; k < l; k++)
      sum += y[k] * x[i + k];
    z[i] = sum;
  }
}

NOINLINE static void outer(int l, double *z)
{
  product(l, l, l, a, b, z);
  product(l, l, l, b, a, z);
}

static void fill(void)
{
  for (int i = 0; i < MOST * MOST; i++) {
    a[i] = (i % 37 - 11) * 0.125;
    b[i] = (i % 29 - 17) * 0.0625;
    c[i] = i % 7;
  }
}

static void print(const char *what, int m, int n, int l)
{
  unsigned long sum = 0;
  for (int i = 0; i < MOST * MOST; i++) {
    unsigned long bits;
    memcpy(&bits, &c[i], sizeof(bits));
    sum = (sum ^ bits) * 1099511628211u;
  }
  printf("%s %d %d %d %lx\n", what, m, n, l, sum);
  fill();
}

int main(void)
{
  static const int size[] = {-1, 0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 16, 17, 23, 24, 25, 31, 47, 48, 61};
  enum { N = sizeof(size) / sizeof(*size) };
  fill();
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      vector(size[i], size[j], a, b, c);
      print("vector", size[i], size[j], 0);
      solve(size[i], size[j], a, b, c);
      print("solve", size[i], size[j], 0);
      filter(2, size[i], size[j] > 5 ? 5 : size[j], a, b, c);
      print("filter", size[i], size[j], 0);
      for (int k = 0; k < N; k += 1 + (i + j) % 3) {
        product(size[i], size[j], size[k], a, b, c);
        print("product", size[i], size[j], size[k]);
        dots(size[i], size[j], size[k], a, b, c);
        print("dots", size[i], size[j], size[k]);
      }
    }
  for (int i = 0; i < N; i++) {
    outer(size[i], c);
    print("outer", size[i], 0, 0);
    product(size[i], size[i], size[i], a, b, a); /* they overlap */
    print("overlap", size[i], 0, 0);
  }
  return 0;
}
