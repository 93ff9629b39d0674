// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests that are seen to be too small before anything is modelled: what becomes of a file is the same as where somebody wants
// to hear of all nests, and so all are modelled.
//
// RUN: %clang -O3 -fpass-plugin=%plugin -c %s -o %t.o
// RUN: %clang -O3 -fpass-plugin=%plugin -Rpass=tessera -Rpass-analysis=tessera -Rpass-missed=tessera -c %s -o %t.told.o 2>&1 | %FileCheck %s
// RUN: cmp %t.o %t.told.o

// A condition on floating-point numbers doesn't say how large a parameter is.
// CHECK-DAG: untouched-skipped.c:[[@LINE+6]]{{.*}}too few iterations
void axpy(int n, double alpha, const double *restrict x, double *restrict y)
{
  if (alpha == 0)
    return;
  int m = n % 4;
  for (int i = 0; i < m; i++)
    y[i] += alpha * x[i];
  for (int i = m; i + 3 < n; i += 4) {
    y[i] += alpha * x[i];
    y[i + 1] += alpha * x[i + 1];
    y[i + 2] += alpha * x[i + 2];
    y[i + 3] += alpha * x[i + 3];
  }
}

// A large nest behind such a condition is still worth a change.
// CHECK-DAG: untouched-skipped.c:[[@LINE+4]]{{.*}}transformed
void product(int n, double alpha, const double *restrict a, const double *restrict b, double *restrict c)
{
  if (alpha != 0)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
          c[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
}

// How often the loop inside runs isn't known: it is a part of one statement.
void powers(int n, int base, int *restrict out)
{
  if (n > 0) {
    int x = n, digits = 0;
    while (x % base) {
      x /= base;
      digits++;
    }
    out[n] = digits;
  }
}

// Bounds that get smaller: no more than a parameter.
void back(int n, int m, double *restrict x)
{
  for (int i = n - 2; i >= 0; i--)
    x[i] = (x[i] - x[i + 1]) * 0.5;
  for (int i = m - 2; i >= 0; i--)
    x[i] += 1;
}

// A nest whose outer loop has few iterations for what a parameter is assumed to be, and whose inner loops have many.
void far(int n, double *restrict a)
{
  for (int i = 0; i < n - 5000; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        a[j * n + k] += a[(j + 1) * n + i];
}

// A product of parameters is one more parameter, and a difference is none that is larger.
// CHECK-DAG: untouched-skipped.c:[[@LINE+3]]{{.*}}too few iterations
void flat(int n, int m, double *restrict a)
{
  for (int i = 0; i < n * m; i++)
    a[i] += 1;
}

// CHECK-DAG: untouched-skipped.c:[[@LINE+3]]{{.*}}too few iterations
void some(int from, int to, double *restrict a)
{
  for (int i = from; i < to; i++) {
    a[i] += 1;
    a[i + to] += 2;
    a[i + to + to] += 3;
    a[i + to + to + to] += 4;
  }
}

// CHECK-DAG: untouched-skipped.c:[[@LINE+3]]{{.*}}too few iterations
void sums(int n, int from, int to, double *restrict a)
{
  for (int i = 0; i < (to - from) * n; i++)
    a[i] += 1;
}

// With other loops inside there are as many iterations as ever.
// CHECK-DAG: untouched-skipped.c:[[@LINE+3]]{{.*}}transformed
void products(int n, int m, int k, const double *restrict a, const double *restrict b, double *restrict c)
{
  for (int i = 0; i < n * m; i++)
    for (int j = 0; j < k; j++)
      for (int l = 0; l < k; l++)
        c[i * k + j] += a[i * k + l] * b[l * k + j];
}
