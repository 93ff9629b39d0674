// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks whose failure ends the program: affine ones are made once in front of the nest; if one fails, the original runs
// up to there.
//
// RUN: %clangxx -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clangxx -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=test_ -gline-tables-only \
// RUN:   -Rpass=tessera -Rpass-missed=tessera %s -o %t 2>&1 | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clangxx -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-tile-sizes=4 %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clangxx -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK-COUNT-6: loop nest transformed

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#define TEST __attribute__((noinline))
#define N 30

TEST void test_assert(int n, int m, double *a, double *b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      assert(i < m && j < m);
      a[j * m + i] = b[i * m + j] + 1;
    }
}

/* What the failing check tells is computed in the loops. */
TEST int test_throw(int n, int m, double *a, double *b)
{
  int last = 0;
  for (int i = 0; i < n; i++) {
    if (i >= m)
      throw i * 100 + last;
    for (int j = 0; j < n; j++) {
      a[j * n + i] = b[i * n + j] * 2;
      last = i + j;
    }
  }
  return last;
}

TEST int test_between(int n, int m, double *a, double *b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[j * n + i] = b[i * n + j] * 2;
  if (m > 1000)
    abort();
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[j * n + i] += a[i * n + j];
  return m;
}

TEST void test_at(std::vector<double> &a, const std::vector<double> &b, int n, double *c)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      c[j * n + i] += b.at(i) * a.at(j);
}

TEST void test_at_2(std::vector<double> &a, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 10; j++)
      a.at(j * 10 + i) += a.at(i * 10 + j);
}

/* A product of a counter and a parameter. */
TEST void test_at_linear(std::vector<double> &a, const std::vector<double> &b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a.at(j * n + i) += b.at(i * n + j);
}

static double a[N * N], b[N * N], c[N * N];

int main()
{
  for (int n = 0; n < N; n += 5) {
    std::vector<double> v(N * N), w(N * N);
    for (int i = 0; i < N * N; i++) {
      v[i] = a[i] = i % 7;
      w[i] = b[i] = i * 3 % 11;
    }
    test_assert(n, N, a, b);
    int result = test_between(n, N, a, b);
    for (int m = 0; m <= N; m += 5)
      try {
        result += test_throw(n, m, a, b);
      } catch (int last) {
        result += 7 * last;
      }
    test_at_linear(v, w, n);
    test_at(v, w, n, c);
    std::vector<double> u(n * n - (n > 10));
    try {
      test_at_linear(u, w, n);
    } catch (std::out_of_range &e) {
      puts(e.what());
    }
    for (double x : u)
      c[0] += x;
    v.resize(n > 3 ? n - 3 : n);
    try {
      test_at(v, w, n, c);
    } catch (std::out_of_range &e) {
      puts(e.what());
    }
    v.resize(77);
    try {
      test_at_2(v, n < 10 ? n : 10);
    } catch (std::out_of_range &e) {
      puts(e.what());
    }
    double s = 0;
    for (int i = 0; i < N * N; i++)
      s = s * 1.001 + a[i] + b[i] + c[i];
    for (double x : v)
      s = s * 1.01 + x;
    printf("%d %d %.10g\n", n, result, s);
  }
}
