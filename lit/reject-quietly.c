// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can't be modelled is found without sets first where nobody wants to hear of it: the object is the same as with remarks,
// which name what is in the way.
//
// RUN: %clang -O3 -fpass-plugin=%plugin -c %s -o %t.quiet.o
// RUN: %clang -O3 -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: cmp %t.quiet.o %t.o

// Rows of as many elements as the larger of two parameters: no subscript divides by that.
// CHECK: [[@LINE+5]]:{{[0-9]+}}: remark: loop nest not modelled: subscript
void rows(double *restrict a, const double *restrict b, long n, long m, long k)
{
  long size = n > m ? n : m;
  for (long i = 0; i < k; i++)
    for (long j = 0; j < n; j++)
      a[i * size + j] += b[i] + a[j * size + i];
}

// A condition on data around a nest, which itself can be transformed.
// CHECK: [[@LINE+4]]:{{[0-9]+}}: remark: loop nest not modelled: condition around a loop
// CHECK: [[@LINE+5]]:{{[0-9]+}}: remark: loop nest transformed
void some(int n, double a[n][n], double b[n][n], const double *restrict x, double *restrict s)
{
  for (int t = 0; t < n; t++)
    if (x[t] > 0)
      for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
          s[j] += a[i][j] * b[i][j];
}

struct bound {
  int n;
  unsigned size;
};

// A division that isn't done in front of the nest: a remainder by a negative number.
// CHECK: [[@LINE+4]]:{{[0-9]+}}: remark: loop nest not modelled: pointer or bound that is read from memory
void down(const struct bound *p, double *restrict a, int m)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < p->n % -3; j++)
      a[i * 1000l + j] *= 2;
}

// Either bound is known to be loaded only where their sum doesn't wrap: neither can be the first.
// CHECK: [[@LINE+3]]:{{[0-9]+}}: remark: loop nest not modelled: pointer or bound that is read from memory
void sum(const struct bound *p, const struct bound *q, double *restrict a, int m)
{
  for (int i = 0; i < m; i++)
    for (unsigned j = 0; j < p->size + q->size; j++)
      a[i * 1000l + j] *= 2;
}
