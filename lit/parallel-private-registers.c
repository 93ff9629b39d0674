// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices in a loop around them, through a matrix that each iteration fills before it reads it, and that is 0 at
// first in place, not in front. What is one behind the other in the loops is distributed, so that the sums get register tiles;
// with threads each iteration of the outer loop has the matrix for itself, and tiles add up in that buffer, also from the last
// column to the first, and of a triangle. The same results, bit for bit, and the same matrix
// behind the loop.
//
// REQUIRES: gomp, native-avx2
// DEFINE: %{options} =
// DEFINE: %{machine} = -march=x86-64-v3 -ffp-contract=off
// DEFINE: %{plugin} = -fpass-plugin=%plugin -mllvm -tessera-module-budget=0
// DEFINE: %{run} = %clang -O2 %{machine} %{plugin} %{options} %s -lgomp -o %t \
// DEFINE:   && env OMP_NUM_THREADS=1 %t > %t.out && diff %t.expected %t.out \
// DEFINE:   && env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: printf 'ALL:\n  distribute(nests)\n  register_tiles()\n  parallelize(private)\n  vectorize()\n' > %t.d/one
// RUN: sed 's/ALL/batch/' %t.d/one > %t.d/all && sed 's/ALL/heads/' %t.d/one >> %t.d/all
// RUN: sed 's/ALL/down/' %t.d/one >> %t.d/all && sed 's/ALL/triangle/' %t.d/one >> %t.d/all
// RUN: sed 's/ALL/complex/;/tiles/d' %t.d/one >> %t.d/all
// RUN: %clang -O1 %{machine} %s -o %t.plain && %t.plain > %t.expected
//
// RUN: %{run}
// REDEFINE: %{options} = -mllvm -tessera-parallel
// RUN: %{run}
// REDEFINE: %{options} = -mllvm -tessera-parallel -mllvm -tessera-force
// RUN: %{run}
// REDEFINE: %{options} = -mllvm -tessera-parallel -mllvm -tessera-position=late
// RUN: %{run}
// REDEFINE: %{options} = -mllvm -tessera-parallel -mllvm -tessera-commands=%t.d/all
// RUN: %{run}
//
// RUN: %clang -O2 %{machine} %{plugin} -Rpass=tessera -Rpass-analysis=tessera -mllvm -tessera-only='^batch$|^heads$' \
// RUN:   -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 %{machine} %{plugin} %{options} -mllvm -tessera-print=ast -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=AST
//
// CHECK: (taken) original order, nests distributed, register tiles
// CHECK: loop nest transformed: {{.*}} register tiles
// CHECK: (taken) original order, nests distributed, register tiles
// CHECK: loop nest transformed: {{.*}} register tiles
//
// AST-LABEL: tessera: batch.0
// AST: // parallel
// AST-NEXT: for
// AST-NEXT: // allocate {{.*}}_buffer
// AST: // registers
// AST: store_
// AST-LABEL: tessera: heads.0
// AST: // parallel
// AST-NEXT: for
// AST-NEXT: // allocate [[S:.*]]_buffer
// AST: // registers
// AST: load_[[S]]_buffer_packed
// AST: // registers
// AST: store_[[S]](
// AST-LABEL: tessera: complex.0
// AST: // parallel
// AST: _buffer
// AST-LABEL: tessera: down.0
// AST: // parallel
// AST: _buffer
// AST: // registers
// AST-LABEL: tessera: triangle.0
// AST: // parallel
// AST: _buffer
// AST: // registers

#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

NOINLINE void batch(long n, long m, double A[restrict n][m][m], double C[restrict m][m], double T[restrict m][m])
{
  for (long r = 0; r < n; r++) {
    for (long i = 0; i < m; i++)
      for (long j = 0; j < m; j++) {
        T[i][j] = 0;
        for (long k = 0; k < m; k++)
          T[i][j] += A[r][i][k] * C[k][j];
      }
    for (long i = 0; i < m; i++)
      for (long j = 0; j < m; j++)
        A[r][i][j] = T[i][j] - A[r][i][j];
  }
}

NOINLINE void heads(long h, long t, long d, float Q[restrict h][t][d], float K[restrict h][d][t], float V[restrict h][t][d],
                    float S[restrict t][t], float O[restrict h][t][d])
{
  for (long r = 0; r < h; r++) {
    for (long i = 0; i < t; i++)
      for (long j = 0; j < t; j++) {
        S[i][j] = 0;
        for (long k = 0; k < d; k++)
          S[i][j] += Q[r][i][k] * K[r][k][j];
      }
    for (long i = 0; i < t; i++)
      for (long j = 0; j < d; j++) {
        O[r][i][j] = 0;
        for (long k = 0; k < t; k++)
          O[r][i][j] += S[i][k] * V[r][k][j];
      }
  }
}

NOINLINE void complex(long n, long m, double A[restrict n][m][m][2], double C[restrict m][m][2], double T[restrict m][m][2])
{
  for (long r = 0; r < n; r++) {
    for (long i = 0; i < m; i++)
      for (long j = 0; j < m; j++) {
        T[i][j][0] = 1;
        T[i][j][1] = 2;
        for (long k = 0; k < m; k++) {
          T[i][j][0] += A[r][i][k][0] * C[k][j][0] - A[r][i][k][1] * C[k][j][1];
          T[i][j][1] += A[r][i][k][0] * C[k][j][1] + A[r][i][k][1] * C[k][j][0];
        }
      }
    for (long i = 0; i < m; i++)
      for (long j = 0; j < m; j++) {
        A[r][i][j][0] = T[i][j][1];
        A[r][i][j][1] = T[i][j][0];
      }
  }
}

NOINLINE void down(long n, long m, double A[restrict n][m][m], double C[restrict m][m], double T[restrict m][m])
{
  for (long r = 0; r < n; r++) {
    for (long i = 0; i < m; i++)
      for (long j = m - 1; j >= 0; j--) {
        T[i][j] = 3;
        for (long k = 0; k < m; k++)
          T[i][j] += A[r][i][k] * C[k][m - 1 - j];
      }
    for (long i = 0; i < m; i++)
      for (long j = 0; j < m; j++)
        A[r][i][j] = T[i][m - 1 - j];
  }
}

NOINLINE void triangle(long n, long m, double A[restrict n][m][m], double C[restrict m][m], double T[restrict m][m])
{
  for (long r = 0; r < n; r++) {
    for (long i = 0; i < m; i++)
      for (long j = 0; j <= i; j++) {
        T[i][j] = 0;
        for (long k = 0; k < m; k++)
          T[i][j] += A[r][i][k] * C[k][j];
      }
    for (long i = 0; i < m; i++)
      for (long j = 0; j <= i; j++)
        A[r][i][j] = T[i][j];
  }
}

static void *fill(long n, unsigned seed, int single)
{
  double *of = malloc((size_t)(n + 1) * sizeof(*of));
  float *small = (float *)of;
  for (long i = 0; i < n; i++) {
    int value = (int)(((unsigned)i * 2654435761u + seed) >> 27) - 15;
    if (single)
      small[i] = (float)value / 8;
    else
      of[i] = (double)value / 8;
  }
  return of;
}

static double sum(const void *of, long n, int single)
{
  double sum = 0;
  for (long i = 0; i < n; i++)
    sum = sum * 0.75 + (single ? ((const float *)of)[i] : ((const double *)of)[i]);
  return sum;
}

static void test(long n, long m, long d)
{
  double *A = fill(2 * n * m * m, 1, 0), *C = fill(2 * m * m, 2, 0), *T = fill(2 * m * m, 3, 0);
  batch(n, m, (void *)A, (void *)C, (void *)T);
  printf("%ld %ld batch %.17g %.17g\n", n, m, sum(A, n * m * m, 0), sum(T, m * m, 0));
  complex(n, m, (void *)A, (void *)C, (void *)T);
  printf("%ld %ld complex %.17g %.17g\n", n, m, sum(A, 2 * n * m * m, 0), sum(T, 2 * m * m, 0));
  free(A);
  A = fill(n * m * m, 4, 0);
  down(n, m, (void *)A, (void *)C, (void *)T);
  printf("%ld %ld down %.17g %.17g\n", n, m, sum(A, n * m * m, 0), sum(T, m * m, 0));
  triangle(n, m, (void *)A, (void *)C, (void *)T);
  printf("%ld %ld triangle %.17g %.17g\n", n, m, sum(A, n * m * m, 0), sum(T, m * m, 0));
  free(A);
  free(C);
  free(T);
  float *Q = fill(n * m * d, 5, 1), *K = fill(n * m * d, 6, 1), *V = fill(n * m * d, 7, 1), *O = fill(n * m * d, 8, 1);
  float *S = fill(m * m, 9, 1);
  heads(n, m, d, (void *)Q, (void *)K, (void *)V, (void *)S, (void *)O);
  printf("%ld %ld heads %.17g %.17g\n", n, m, sum(O, n * m * d, 1), sum(S, m * m, 1));
  free(Q);
  free(K);
  free(V);
  free(O);
  free(S);
}

int main(void)
{
  static const long sizes[] = {0, 1, 2, 7, 16, 31, 33, 64, 97};
  for (int i = 0; i < 9; i++)
    for (long n = 0; n < 6; n += n < 2 ? 1 : 3)
      test(n, sizes[i], sizes[(i * 5 + 3) % 9]);
  test(9, 65, 40);
}
