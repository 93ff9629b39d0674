// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++ with accessors, templates and exceptions around the nests gives the same result.
//
// RUN: %clangxx -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clangxx -O2 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -o %t 2>&1 | %FileCheck %s
// RUN: %t | diff %t.expected -

// CHECK: remark: {{.*}}loop nest transformed

#include <cstdio>
#include <stdexcept>
#include <vector>

template <typename T> class Matrix {
  std::vector<T> data;
  int n;

public:
  explicit Matrix(int n) : data(n * n), n(n) {}
  T &operator()(int i, int j) { return data[i * n + j]; }
  const T &operator()(int i, int j) const { return data[i * n + j]; }
  int size() const { return n; }
};

template <typename T> __attribute__((noinline)) void multiply(Matrix<T> &c, const Matrix<T> &a, const Matrix<T> &b)
{
  if (a.size() != b.size())
    throw std::invalid_argument("sizes");
  for (int i = 0; i < a.size(); i++)
    for (int j = 0; j < a.size(); j++) {
      T sum = 0;
      for (int k = 0; k < a.size(); k++)
        sum += a(i, k) * b(k, j);
      c(i, j) = sum;
    }
}

template <typename T> static void test()
{
  Matrix<T> a(50), b(50), c(50), d(40);
  for (int i = 0; i < 50; i++)
    for (int j = 0; j < 50; j++) {
      a(i, j) = i * 3 + j;
      b(i, j) = i - j * 2;
    }
  multiply(c, a, b);
  T sum = 0;
  for (int i = 0; i < 50; i++)
    for (int j = 0; j < 50; j++)
      sum += c(i, j) * T(i % 5);
  try {
    multiply(c, a, d);
  } catch (const std::exception &e) {
    std::printf("%s %g\n", e.what(), double(sum));
  }
}

int main()
{
  test<double>();
  test<float>();
  test<int>();
}
