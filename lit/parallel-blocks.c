// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads share what is good on one core: loops of blocks around tiles, doacross loops of blocks where every loop carries
// dependences, loops split at the one iteration that the others wait for, packed operands that all threads fill. The same
// results, bit for bit, for sizes around those of blocks and tiles, and any number of threads.
//
// REQUIRES: gomp
// DEFINE: %{tessera} = -fpass-plugin=%plugin -mllvm -tessera-parallel -mllvm -tessera-module-budget=0
// DEFINE: %{run} = %clang -O1 %s -o %t.plain && %t.plain > %t.expected \
// DEFINE:   && %clang -O2 %{tessera} -mllvm -tessera-force %s -lgomp -o %t \
// DEFINE:   && env OMP_NUM_THREADS=1 %t > %t.out && diff %t.expected %t.out \
// DEFINE:   && env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out \
// DEFINE:   && env OMP_NUM_THREADS=7 %t > %t.out && diff %t.expected %t.out
//
// RUN: %{run}
//
// With vectors of 64 bytes they run in parallel-blocks-avx512.test.
// RUN: %clang -O2 -march=x86-64-v4 %{tessera} -mllvm -tessera-print=ast -mllvm -tessera-only='^form_' -c %s -o %t.o 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %clang -O2 -march=x86-64-v4 %{tessera} -mllvm -tessera-only='^form_' -gline-tables-only -Rpass=tessera -c %s -o %t.o \
// RUN:   2>&1 | %FileCheck %s --check-prefix=REMARK

#include <stdio.h>

#define N 420
#define PATHS 1000 // .. of which threads have enough to do for each row
#define NOINLINE __attribute__((noinline))

// Strips of time steps: each waits for blocks of the one before. One thread has no blocks.
// CHECK-LABEL: form_jacobi.0
// CHECK-NEXT: // doacross
// CHECK-NEXT: for (int c0
// CHECK-NEXT: for (int c1
// CHECK-NEXT: // strips
// CHECK: // vector
// CHECK: /* on one thread */
// CHECK-NEXT: // strips
NOINLINE void form_jacobi(long steps, long n, double A[restrict N][N], double B[restrict N][N])
{
  for (long t = 0; t < steps; t++) {
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < n - 1; j++)
        B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i - 1][j] + A[i + 1][j]);
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < n - 1; j++)
        A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i - 1][j] + B[i + 1][j]);
  }
}

// Chains of a Gauss-Seidel sweep, the same way.
// CHECK-LABEL: form_seidel.0
// CHECK-NEXT: // doacross
// CHECK: // interleave 8
NOINLINE void form_seidel(long steps, long n, double A[N][N])
{
  for (long t = 0; t < steps; t++)
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < n - 1; j++)
        A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j - 1] +
                   A[i + 1][j] + A[i + 1][j + 1]) /
                  9.0;
}

// Register tiles, in blocks of the result that begin where tiles do.
// CHECK-LABEL: form_lu.0
// CHECK-NEXT: // doacross
// CHECK-NEXT: for (int c0
// CHECK-NEXT: for (int c1
// CHECK: // registers
// CHECK-NEXT: for (int
// CHECK-NEXT: for (int [[ROW:c[0-9]+]] = 0; [[ROW]] <= 5;
NOINLINE void form_lu(long n, double A[N][N])
{
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < i; j++) {
      for (long k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (long j = i; j < n; j++)
      for (long k = 0; k < i; k++)
        A[i][j] -= A[i][k] * A[k][j];
  }
}

// All rows wait for one: two parallel loops around it.
// CHECK-LABEL: form_paths.0
// CHECK: for (int c0
// CHECK-NEXT: // parallel
// CHECK-NEXT: for (int c1 = 0; c1 < c0; c1 += 1)
// CHECK: // parallel
// CHECK-NEXT: for (int c1 = c0 + 1;
NOINLINE void form_paths(long n, int P[PATHS][PATHS])
{
  for (long k = 0; k < n; k++)
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++)
        P[i][j] = P[i][j] < P[i][k] + P[k][j] ? P[i][j] : P[i][k] + P[k][j];
}

// Packed operands: what all blocks of columns read is filled by all threads, the rest by each for itself.
// CHECK-LABEL: form_product.0
// CHECK: // parallel
// CHECK: load_{{.*}}_packed(
// CHECK: // parallel
// CHECK-NEXT: for (int c2
// CHECK: load_{{.*}}_packed(
// CHECK: // registers
NOINLINE void form_product(long n, long m, long l, double C[restrict N][N], double A[restrict N][N], double B[restrict N][N])
{
  for (long i = 0; i < n; i++)
    for (long k = 0; k < l; k++)
      for (long j = 0; j < m; j++)
        C[i][j] += A[k][i] * B[k][j];
}

// A scalar with values that stay in one iteration, of two loops: one copy a thread in each, and one for the sequential loop.
// CHECK-LABEL: form_scalar.0
// CHECK: // parallel
// CHECK: // parallel
// REMARK: parallel-blocks.c:[[#@LINE+4]]:{{.*}} 2 parallel
NOINLINE double form_scalar(long n, double A[restrict N][N], double B[restrict N][N], double *restrict s)
{
  double y;
  for (long i = 0; i < n; i++) {
    y = 0;
    for (long j = 0; j < n; j++) {
      B[i][j] = 0.5 * A[i][j] + 0.25 * y;
      y = B[i][j];
    }
  }
  for (long i = 0; i < n; i++) {
    y = 1;
    for (long j = 0; j < n; j++) {
      A[i][j] = 0.5 * B[i][j] + 0.25 * y;
      y = A[i][j];
    }
  }
  y = s[0];
  for (long i = 1; i < n; i++) {
    s[i] = 0.5 * y + s[i];
    y = s[i];
  }
  return s[0];
}

static double A[N][N], B[N][N], C[N][N], S[N];
static int P[PATHS][PATHS];

static void fill(void)
{
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * 7 + j * 3) % 11 * 0.25 + (i == j) * 900;
      B[i][j] = (i * 5 + j) % 13 * 0.5;
      C[i][j] = (i + j * 9) % 7;
      P[i][j] = (i * 31 + j * 17) % 101 + (i != j);
    }
    S[i] = i % 5;
  }
}

static void show(const char *name, long n)
{
  unsigned long hash = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      union {
        double d;
        unsigned long l;
      } a = {A[i][j]}, b = {B[i][j]}, c = {C[i][j]}, s = {S[i]};
      hash = (hash + a.l) * 31 + b.l * 7 + c.l * 3 + s.l + (unsigned long)P[i][j];
    }
  printf("%s %ld %lx\n", name, n, hash);
  fill();
}

int main(void)
{
  static const long size[] = {-1, 0, 1, 2, 3, 17, 63, 64, 65, 97, 129, 193, 385, N};
  fill();
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++) {
    long n = size[s];
    for (long steps = 1; steps < 20; steps += 6) {
      form_jacobi(steps, n, A, B);
      show("jacobi", n);
      form_seidel(steps, n, A);
      show("seidel", n);
    }
    form_lu(n, A);
    show("lu", n);
    form_paths(n < 193 ? n : 193, P);
    show("paths", n);
    form_product(n, n / 2 + 7, n, C, A, B);
    show("product", n);
    form_product(n, 48, n / 3, C, A, B);
    show("product", n);
    printf("%g\n", form_scalar(n, A, B, S));
    show("scalar", n);
  }
}
