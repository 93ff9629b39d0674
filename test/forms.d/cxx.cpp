/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* C++: containers, iterators, classes of matrices, templates, lambdas. */
#include "forms.h"
#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <valarray>
#include <vector>

#define N 24
using std::size_t;
extern "C" {

/* form: std::vector, v[i*n+j] */
FORM void form_vector(std::vector<double> &a, const std::vector<double> &b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] += b[j * n + i];
}

/* form: std::vector, v.size() as bound */
FORM void form_vector_size(std::vector<double> &a, const std::vector<double> &b)
{
  for (size_t i = 0; i < a.size(); i++)
    for (size_t j = 0; j < b.size(); j++)
      a[i] += b[j];
}

/* form: std::vector of std::vector, rows */
FORM void form_vector_rows(std::vector<std::vector<double>> &a, const std::vector<std::vector<double>> &b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] += b[i][n - 1 - j];
}

/* form: std::vector, range-for */
FORM void form_range_for(std::vector<double> &a, const std::vector<double> &b)
{
  for (double &x : a)
    for (double y : b)
      x += y;
}

/* form: std::vector, iterators */
FORM void form_iterators(std::vector<double> &a, const std::vector<double> &b)
{
  for (auto x = a.begin(); x != a.end(); ++x)
    for (auto y = b.begin(); y != b.end(); ++y)
      *x += *y;
}

/* form: std::vector, local */
FORM void form_vector_local(double *out, int n)
{
  std::vector<double> a(n * n), b(n * n, 2);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] = b[j * n + i] + i;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      out[j * n + i] = a[i * n + j];
}

/* form: std::array */
FORM void form_array(std::array<std::array<double, N>, N> &a, const std::array<std::array<double, N>, N> &b)
{
  for (size_t i = 0; i < a.size(); i++)
    for (size_t j = 0; j < a[i].size(); j++)
      a[i][j] += b[j][i];
}

/* form: std::span */
FORM void form_span(std::span<double> a, std::span<const double> b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] += b[j * n + i];
}

/* form: std::valarray */
FORM void form_valarray(std::valarray<double> &a, const std::valarray<double> &b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] += b[j * n + i];
}

class Matrix
{
  int n_, m_;
  std::vector<double> data_;

public:
  Matrix(int n, int m) : n_(n), m_(m), data_(n * m, 1)
  {
    for (int i = 0; i < n * m; i++)
      data_[i] = i * 5 % 7;
  }
  int rows() const
  {
    return n_;
  }
  int cols() const
  {
    return m_;
  }
  double &operator()(int i, int j)
  {
    return data_[i * m_ + j];
  }
  double operator()(int i, int j) const
  {
    return data_[i * m_ + j];
  }
  const double *data() const
  {
    return data_.data();
  }
  FORM void scale(double s);
};

/* form: matrix class, operator() */
FORM void form_matrix(Matrix &c, const Matrix &a, const Matrix &b)
{
  for (int i = 0; i < c.rows(); i++)
    for (int j = 0; j < c.cols(); j++)
      for (int k = 0; k < a.cols(); k++)
        c(i, j) += a(i, k) * b(k, j);
}

struct Grid {
  int n;
  double *cell, *next;
  void step();
};
/* form: member function, this->n */
FORM void form_member(Grid *g);
void Grid::step()
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      next[i * n + j] = cell[j * n + i - 1] + cell[j * n + i + 1];
}
FORM void form_member(Grid *g)
{
  g->step();
}

} // extern "C"
template <typename T, int M> struct Fixed {
  T v[M][M];
  T &operator()(int i, int j)
  {
    return v[i][j];
  }
};
template <typename T, int M> static void transpose_add(Fixed<T, M> &a, Fixed<T, M> &b)
{
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      a(i, j) += b(j, i);
}
template <typename F> static void for_each(int n, F f)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      f(i, j);
}
extern "C" {

/* form: class template, fixed size */
FORM void form_template(Fixed<double, N> &a, Fixed<double, N> &b)
{
  transpose_add(a, b);
}

/* form: lambda that captures by reference */
FORM void form_lambda(double *a, double *b, int n)
{
  for_each(n, [&](int i, int j) { a[i * n + j] += b[j * n + i]; });
}

/* form: lambda over vectors */
FORM void form_lambda_vector(std::vector<double> &a, const std::vector<double> &b, int n)
{
  for_each(n, [&](int i, int j) { a[i * n + j] += b[j * n + i]; });
}

/* form: std::for_each, std::transform */
FORM void form_algorithm(std::vector<double> &a, const std::vector<double> &b)
{
  std::transform(a.begin(), a.end(), b.begin(), a.begin(), [](double x, double y) { return x * 2 + y; });
  std::for_each(a.begin(), a.end(), [](double &x) { x += 1; });
}

/* form: exception elsewhere in the function */
FORM void form_exception(double *a, double *b, int n)
{
  if (n < 0)
    throw std::runtime_error("n");
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] += b[j * n + i];
}

/* form: try around the loop */
FORM void form_try(double *a, double *b, int n)
{
  try {
    std::vector<double> t(n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        a[i * n + j] += b[j * n + i] + t[0];
  } catch (const std::bad_alloc &) {
    a[0] = 0;
  }
}

/* form: std::vector::at, which may throw */
FORM void form_at(std::vector<double> &a, const std::vector<double> &b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a.at(i * n + j) += b.at(j * n + i);
}

/* form: reference to bound and scalar */
FORM void form_reference(double *a, double *b, const int &n, const double &s)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] += s * b[j * n + i];
}
}

int main()
{
  const int n = 20;
  std::vector<double> a(4096), b(4096), small(n), small2(33);
  fill(a.data(), 4096), fill(b.data(), 4096), fill(small.data(), n), fill(small2.data(), 33);
  auto print = [&](const char *name) { show(name, a.data(), 4096 * 8); };
  form_vector(a, b, n), print("vector");
  form_vector_size(small, small2), show("vector_size", small.data(), n * 8);
  form_vector_size(a, small2), print("vector_size");
  std::vector<std::vector<double>> va(n, small), vb(n, small);
  form_vector_rows(va, vb, n);
  for (auto &r : va)
    show("vector_rows", r.data(), n * 8);
  std::vector<double> empty;
  form_range_for(small, small2), show("range_for", small.data(), n * 8);
  form_range_for(small, empty), form_range_for(empty, small), show("range_for", small.data(), n * 8);
  form_range_for(small, small), show("range_for", small.data(), n * 8);
  form_iterators(small, small2), show("iterators", small.data(), n * 8);
  form_iterators(empty, small2), form_iterators(small, empty), show("iterators", small.data(), n * 8);
  form_vector_local(a.data(), n), print("vector_local");
  static std::array<std::array<double, N>, N> x, y;
  fill(x[0].data(), N * N), fill(y[0].data(), N * N);
  form_array(x, y), show("array", &x, sizeof(x));
  form_span(a, b, n), print("span");
  std::valarray<double> p(a.data(), 4096), q(b.data(), 4096);
  form_valarray(p, q, n), show("valarray", &p[0], 4096 * 8);
  Matrix c(n, 17), d(n, 9), e(9, 17);
  form_matrix(c, d, e), show("matrix", c.data(), n * 17 * 8);
  Matrix f(n, n);
  form_matrix(f, f, f), show("matrix", f.data(), n * n * 8);
  Grid g{n, a.data(), b.data()};
  form_member(&g), show("member", b.data(), 4096 * 8);
  form_template(reinterpret_cast<Fixed<double, N> &>(x), reinterpret_cast<Fixed<double, N> &>(y)),
      show("template", &x, sizeof(x));
  form_lambda(a.data(), b.data(), n), print("lambda");
  form_lambda_vector(a, b, n), print("lambda_vector");
  form_algorithm(a, b), print("algorithm");
  form_exception(a.data(), b.data(), n), print("exception");
  form_try(a.data(), b.data(), n), print("try");
  form_at(a, b, n), print("at");
  double s = 3;
  form_reference(a.data(), b.data(), n, s), print("reference");
  form_reference(a.data(), b.data(), n, a[7]), print("reference");
  return 0;
}
