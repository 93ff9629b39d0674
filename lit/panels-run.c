// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factorisations by columns run panel by panel, each in an array of its own, which moves fill in front of its steps, and from
// which they bring back what is written: what is around a panel, in the same line or row, is not written; elements keep what
// the plain program gives them, for any size, pitch and alignment, and number of threads. These have such an array each, and
// wait for no moves.
//
// REQUIRES: gomp
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-only=run_ -mllvm -tessera-machine=haswell -mllvm -tessera-print=ast \
// RUN:   -c -o %t.o %s 2>&1 | %FileCheck %s
// RUN: %clang -O1 -ffp-contract=off %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-only=run_ -mllvm -tessera-machine=haswell %s -lm -o %t
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-only=run_ -mllvm -tessera-machine=haswell -mllvm -tessera-parallel %s \
// RUN:   -lm -lgomp -mllvm -tessera-print=ast -o %t.threads 2> %t.ast
// RUN: %FileCheck %s --check-prefix=THREADS --input-file=%t.ast
// RUN: env OMP_NUM_THREADS=1 %t.threads > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=2 %t.threads > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=5 %t.threads > %t.out && diff %t.expected %t.out

// CHECK:      tessera: run_orthogonal.0
// CHECK-NEXT: for (int c0 = 0;
// CHECK-NEXT:   // allocate [[A:A_[0-9]+]]_buffer
// CHECK:          for (int c2 = 64 * c0; c2 <= min(p_0 - 1, 64 * c0 + 63); c2 += 1)
// CHECK-NEXT:       load_[[A]](c0, c1, c2);
// CHECK:          for (int c2 = max(1, 64 * c0); c2 <= min(p_0 - 1, 64 * c0 + 63); c2 += 1)
// CHECK-NEXT:       store_[[A]](c0, c1, c2);
// CHECK:      tessera: run_scaled.0
// CHECK-NOT:  allocate
// CHECK:      tessera: run_offset.0
// CHECK:      // allocate [[A:A_[0-9]+]]_buffer
// CHECK:          for (int c2 = max(3, 64 * c0); c2 <= min(p_0 - 1, 64 * c0 + 63); c2 += 1)
// CHECK-NEXT:       load_[[A]](c0, c1, c2);
// CHECK:          for (int c2 = max(4, 64 * c0); c2 <= min(p_0 - 1, 64 * c0 + 63); c2 += 1)
// CHECK-NEXT:       store_[[A]](c0, c1, c2);
// CHECK:      tessera: run_part.0
// CHECK:      // allocate [[A:A_[0-9]+]]_buffer
// CHECK:        for (int c1 = [[FROM:p_[0-9]+]]; c1 < [[TO:p_[0-9]+]]; c1 += 1) {
// CHECK:          load_[[A]](c0, c1, c2);
// CHECK:      tessera: run_mixed.0
// CHECK-NOT:  allocate

// THREADS:      tessera: run_orthogonal.0
// THREADS-NEXT: // doacross
// THREADS-NEXT: for (int c0 = 0;
// THREADS-NEXT:   // allocate [[A:A_[0-9]+]]_buffer
// THREADS:          load_[[A]](c0, c1, c2);
// THREADS:        // steps
// THREADS-NEXT:   for (int c1 = 0; c1 <= min(4 * c0 + 3, (p_0 - 1) / 16); c1 += 1)
// THREADS:          store_[[A]](c0, c1, c2);
// THREADS:      /* on one thread */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Modified Gram-Schmidt.
__attribute__((noinline)) void run_orthogonal(int m, int n, double A[restrict m][n], double R[restrict n][n],
                                              double Q[restrict m][n])
{
  for (int k = 0; k < n; k++) {
    double norm = 0;
    for (int i = 0; i < m; i++)
      norm += A[i][k] * A[i][k];
    R[k][k] = __builtin_sqrt(norm);
    for (int i = 0; i < m; i++)
      Q[i][k] = A[i][k] / R[k][k];
    for (int j = k + 1; j < n; j++) {
      R[k][j] = 0;
      for (int i = 0; i < m; i++)
        R[k][j] += Q[i][k] * A[i][j];
      for (int i = 0; i < m; i++)
        A[i][j] = A[i][j] - Q[i][k] * R[k][j];
    }
  }
}

// Floats; sums in memory; a column is kept as it is.
__attribute__((noinline)) void run_scaled(int m, int n, float A[restrict m][n], float s[restrict n], float Q[restrict m][n])
{
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < m; i++)
      Q[i][k] = A[i][k] * 0.01f;
    for (int j = k + 1; j < n; j++) {
      s[j] = 0;
      for (int i = 0; i < m; i++)
        s[j] += Q[i][k] * A[i][j];
      for (int i = 0; i < m; i++)
        A[i][j] -= Q[i][k] * s[j];
    }
  }
}

// Some rows and columns of a larger matrix.
__attribute__((noinline)) void run_offset(long m, long n, long pitch, double *restrict A, double *restrict s,
                                          double *restrict Q)
{
  for (long k = 3; k < n; k++) {
    for (long i = 2; i < m; i++)
      Q[i * pitch + k] = A[i * pitch + k] * 0.01;
    for (long j = k + 1; j < n; j++) {
      s[j] = 0;
      for (long i = 2; i < m; i++)
        s[j] += Q[i * pitch + k] * A[i * pitch + j];
      for (long i = 2; i < m; i++)
        A[i * pitch + j] -= Q[i * pitch + k] * s[j];
    }
  }
}

// Rows from some on, be that in front of what is called A.
__attribute__((noinline)) void run_part(long from, long to, long n, long pitch, double *restrict A, double *restrict s,
                                        double *restrict Q)
{
  for (long k = 0; k < n; k++) {
    for (long i = from; i < to; i++)
      Q[i * pitch + k] = A[i * pitch + k] * 0.01;
    for (long j = k + 1; j < n; j++) {
      s[j] = 0;
      for (long i = from; i < to; i++)
        s[j] += Q[i * pitch + k] * A[i * pitch + j];
      for (long i = from; i < to; i++)
        A[i * pitch + j] -= Q[i * pitch + k] * s[j];
    }
  }
}

// A panel would need the columns of another one.
__attribute__((noinline)) void run_mixed(int m, int n, double A[restrict m][n], double s[restrict n])
{
  for (int k = 1; k < n; k++)
    for (int j = k + 1; j < n; j++) {
      s[j] = 0;
      for (int i = 0; i < m; i++)
        s[j] += A[i][k] * A[i][j];
      for (int i = 0; i < m; i++)
        A[i][j] -= A[i][k - 1] * s[j] * 0.0001;
    }
}

static unsigned hash_of(const void *memory, size_t bytes)
{
  unsigned hash = 2166136261u;
  for (size_t i = 0; i < bytes; i++)
    hash = (hash ^ ((const unsigned char *)memory)[i]) * 16777619u;
  return hash;
}

static void fill(double *x, size_t n)
{
  for (size_t i = 0; i < n; i++)
    x[i] = 0.5 + (double)(i * 7919 % 1009) / 1009;
}

int main(void)
{
  static const int size[] = {0, 1, 63, 64, 65, 127, 128, 129, 193, 257}, rows[] = {0, 1, 3, 40};
  enum { MOST = 300 * 300 };
  double *a = malloc((MOST + 1) * 8), *r = malloc(MOST * 8), *q = malloc(MOST * 8);
  float *f = malloc(MOST * 4);
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++)
    for (unsigned t = 0; t < sizeof(rows) / sizeof(*rows); t++) {
      int n = size[s], m = rows[t];
      for (int off = 0; off < 2; off++) {
        memset(r, 0, MOST * 8), memset(q, 0, MOST * 8);
        fill(a, MOST + 1);
        run_orthogonal(m, n, (void *)(a + off), (void *)r, (void *)q);
        printf("%d %d: %x %x %x", m, n, hash_of(a, (MOST + 1) * 8), hash_of(r, MOST * 8), hash_of(q, MOST * 8));
        for (int i = 0; i < MOST; i++)
          f[i] = (float)(i % 17) / 17;
        memset(r, 0, MOST * 8);
        memset(q, 0, MOST * 8);
        run_scaled(m, n, (void *)f, (void *)r, (void *)q);
        printf(" %x %x %x", hash_of(f, MOST * 4), hash_of(r, MOST * 8), hash_of(q, MOST * 8));
        fill(a, MOST + 1);
        memset(r, 0, MOST * 8);
        memset(q, 0, MOST * 8);
        run_offset(m, n, n + 11, a + off, r, q);
        printf(" %x %x %x", hash_of(a, (MOST + 1) * 8), hash_of(r, MOST * 8), hash_of(q, MOST * 8));
        fill(a, MOST + 1);
        memset(q, 0, MOST * 8);
        for (int from = -40; from < 40; from += 45)
          run_part(from, from + m, n, n + 3, a + 40 * (n + 3) + off, r, q + 40 * (n + 3));
        printf(" %x %x %x", hash_of(a, (MOST + 1) * 8), hash_of(r, MOST * 8), hash_of(q, MOST * 8));
        fill(a, MOST + 1);
        memset(r, 0, MOST * 8);
        run_mixed(m, n, (void *)(a + off), r);
        printf(" %x %x\n", hash_of(a, (MOST + 1) * 8), hash_of(r, MOST * 8));
      }
    }
  free(a), free(r), free(q), free(f);
}
