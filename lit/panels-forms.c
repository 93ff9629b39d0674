// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Panels are for nests of any form whose outermost loop carries dependences: reflections applied to a matrix that each panel
// has whole columns of, elimination with columns of other panels and another matrix beside it, a matrix and a row of sums.
// Where each step needs what later panels change there are none. Rows that are anywhere in memory stay there. Elements keep
// what the plain program gives them, for any size and number of threads.
//
// REQUIRES: gomp
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-only=panels_ -mllvm -tessera-machine=sapphirerapids -mllvm -tessera-print=ast \
// RUN:   -c -o %t.o %s 2>&1 | %FileCheck %s
// RUN: %clang -O1 -ffp-contract=off %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-only=panels_ -mllvm -tessera-machine=sapphirerapids %s -lm -o %t
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-only=panels_ -mllvm -tessera-machine=sapphirerapids -mllvm -tessera-parallel %s \
// RUN:   -lm -lgomp -o %t.threads
// RUN: env OMP_NUM_THREADS=1 %t.threads > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=2 %t.threads > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=5 %t.threads > %t.out && diff %t.expected %t.out

// CHECK: tessera: panels_apply.0
// CHECK: // allocate [[B:A_[0-9]+]]_buffer
// CHECK: load_[[B]](c0, c1, c2);
// CHECK: store_[[B]](c0, c1, c2);
// CHECK: tessera: panels_eliminate.0
// CHECK: for (int [[K:c[0-9]+]] = {{.*}}16 * c1{{.*}}
// CHECK: for (int [[J:c[0-9]+]] = max(0, 64 * c0 - [[K]]);
// CHECK: tessera: panels_reflect.0
// CHECK: for (int [[K:c[0-9]+]] = {{.*}}16 * c1
// CHECK: for (int [[J:c[0-9]+]] = max(0, 64 * c0 - [[K]]);
// CHECK: tessera: panels_invert.0
// CHECK-NOT: 64 * c0
// CHECK: tessera: panels_rows.0
// CHECK-NEXT: // panel of {{.*}}, 64 columns
// CHECK-NOT: allocate

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void panels_apply(int m, int steps, int n, double V[restrict m][steps], double B[restrict m][n],
                                            double w[restrict n])
{
  for (int k = 0; k < steps; k++) {
    for (int j = 0; j < n; j++)
      w[j] = 0;
    for (int i = k; i < m; i++)
      for (int j = 0; j < n; j++)
        w[j] += V[i][k] * B[i][j];
    for (int i = k; i < m; i++)
      for (int j = 0; j < n; j++)
        B[i][j] -= V[i][k] * w[j];
  }
}

__attribute__((noinline)) void panels_eliminate(int n, int sides, double A[restrict n][n], double B[restrict n][sides])
{
  for (int k = 0; k < n; k++) {
    for (int j = k + 1; j < n; j++)
      A[k][j] /= A[k][k];
    for (int j = 0; j < sides; j++)
      B[k][j] /= A[k][k];
    for (int i = 0; i < n; i++)
      if (i != k) {
        for (int j = k + 1; j < n; j++)
          A[i][j] -= A[i][k] * A[k][j];
        for (int j = 0; j < sides; j++)
          B[i][j] -= A[i][k] * B[k][j];
      }
  }
}

__attribute__((noinline)) void panels_reflect(int m, int n, double A[restrict m][n], double tau[restrict n],
                                              double w[restrict n])
{
  int steps = m < n ? m : n;
  for (int k = 0; k < steps; k++) {
    double norm = 0;
    for (int i = k; i < m; i++)
      norm += A[i][k] * A[i][k];
    norm = A[k][k] < 0 ? -sqrt(norm) : sqrt(norm);
    for (int i = k; i < m; i++)
      A[i][k] /= norm;
    A[k][k] += 1;
    for (int j = k + 1; j < n; j++)
      w[j] = 0;
    for (int i = k; i < m; i++)
      for (int j = k + 1; j < n; j++)
        w[j] += A[i][k] * A[i][j];
    for (int j = k + 1; j < n; j++)
      w[j] /= -A[k][k];
    for (int i = k; i < m; i++)
      for (int j = k + 1; j < n; j++)
        A[i][j] += A[i][k] * w[j];
    tau[k] = -norm;
  }
}

__attribute__((noinline)) void panels_invert(int n, double A[restrict n][n])
{
  for (int k = 0; k < n; k++) {
    double pivot = A[k][k];
    A[k][k] = 1;
    for (int j = 0; j < n; j++)
      A[k][j] /= pivot;
    for (int i = 0; i < n; i++)
      if (i != k) {
        double factor = A[i][k];
        A[i][k] = 0;
        for (int j = 0; j < n; j++)
          A[i][j] -= factor * A[k][j];
      }
  }
}

__attribute__((noinline)) void panels_rows(int m, int n, double *restrict *restrict A, double *restrict s,
                                           double Q[restrict m][n])
{
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < m; i++)
      Q[i][k] = A[i][k] * 0.01;
    for (int j = k + 1; j < n; j++) {
      s[j] = 0;
      for (int i = 0; i < m; i++)
        s[j] += Q[i][k] * A[i][j];
      for (int i = 0; i < m; i++)
        A[i][j] -= Q[i][k] * s[j];
    }
  }
}

static void fill(double *x, long n, int seed)
{
  for (long i = 0; i < n; i++)
    x[i] = 0.2 + (double)((i * 7919 + seed * 104729) % 1009) / 1009;
}

static void put(const char *name, const void *data, long bytes)
{
  const unsigned char *x = data;
  unsigned long sum = 0;
  for (long i = 0; i < bytes; i++)
    sum = (sum ^ x[i]) * 1099511628211u;
  printf("%s %lx\n", name, sum);
}

static void run(int m, int n, int more)
{
  double *A = malloc(sizeof(double) * ((long)n * n + 1)), *B = malloc(sizeof(double) * ((long)m * n + 1));
  double *C = malloc(sizeof(double) * ((long)n * more + 1)), *V = malloc(sizeof(double) * ((long)m * more + 1)), w[800], t[800];
  fill(V, (long)m * more, 1);
  fill(B, (long)m * n, 2);
  panels_apply(m, more < m ? more : m, n, (double(*)[more < m ? more : m])V, (double(*)[n])B, w);
  put("apply", B, sizeof(double) * m * n);
  fill(B, (long)m * n, 3);
  for (int k = 0; k < n; k++)
    t[k] = 0;
  panels_reflect(m, n, (double(*)[n])B, t, w);
  put("reflect", B, sizeof(double) * m * n);
  put("tau", t, sizeof(double) * n);
  fill(A, (long)n * n, 4);
  fill(C, (long)n * more, 5);
  for (int i = 0; i < n; i++)
    A[(long)i * n + i] += n;
  panels_eliminate(n, more, (double(*)[n])A, (double(*)[more])C);
  put("eliminate", C, sizeof(double) * n * more);
  fill(A, (long)n * n, 6);
  for (int i = 0; i < n; i++)
    A[(long)i * n + i] += n;
  panels_invert(n, (double(*)[n])A);
  put("invert", A, sizeof(double) * n * n);
  double **rows = malloc(sizeof(*rows) * m), *Q = malloc(sizeof(double) * m * n);
  fill(B, (long)m * n, 7);
  for (int i = 0; i < m; i++)
    rows[i] = B + (long)(i * 7 % m) * n;
  if (m % 7 != 0)
    panels_rows(m, n, rows, w, (double(*)[n])Q);
  put("rows", B, sizeof(double) * m * n);
  free(rows);
  free(Q);
  free(A);
  free(B);
  free(C);
  free(V);
}

int main(void)
{
  static const int sizes[][3] = {{1, 1, 1},     {3, 2, 5},      {64, 64, 64},    {129, 65, 63},  {40, 150, 20},
                                 {200, 200, 1}, {193, 256, 40}, {530, 550, 520}, {740, 730, 30}};
  for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
    run(sizes[i][0], sizes[i][1], sizes[i][2]);
}
