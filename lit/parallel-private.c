// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that each iteration of a parallel loop fills before it reads them: each has a buffer, and who writes an element last
// stores it. The same results, bit for bit, and the same array behind the loop, for no, one and more iterations than threads,
// or fewer. Where an iteration reads what another one has written, or writes some elements now and then, there are none.
//
// REQUIRES: gomp
// DEFINE: %{options} =
// DEFINE: %{tessera} = -fpass-plugin=%plugin -mllvm -tessera-parallel -mllvm -tessera-module-budget=0
// DEFINE: %{run} = %clang -O1 %s -o %t.plain && %t.plain > %t.expected \
// DEFINE:   && %clang -O2 %{tessera} %{options} %s -lgomp -o %t \
// DEFINE:   && env OMP_NUM_THREADS=1 %t > %t.out && diff %t.expected %t.out \
// DEFINE:   && env OMP_NUM_THREADS=2 %t > %t.out && diff %t.expected %t.out \
// DEFINE:   && env OMP_NUM_THREADS=3 OMP_STACKSIZE=64K %t > %t.out && diff %t.expected %t.out \
// DEFINE:   && env OMP_NUM_THREADS=4 %t > %t.out && diff %t.expected %t.out \
// DEFINE:   && env OMP_NUM_THREADS=7 %t > %t.out && diff %t.expected %t.out
//
// RUN: %{run}
// REDEFINE: %{options} = -mllvm -tessera-force
// RUN: %{run}
// REDEFINE: %{options} = -mllvm -tessera-force -mllvm -tessera-position=late
// RUN: %{run}
//
// RUN: %clang -O1 %{tessera} -mllvm -tessera-force -mllvm -tessera-print=ast -mllvm -tessera-only='^form_' -c %s -o %t.o \
// RUN:   2>&1 | %FileCheck %s
// RUN: %clang -O1 %{tessera} -mllvm -tessera-force -mllvm -tessera-only='^form_row$' -S -emit-llvm %s -o - \
// RUN:   | %FileCheck %s --check-prefix=IR

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

// One row, which is read behind the loop.
// CHECK-LABEL: form_row.0
// CHECK: // parallel
// CHECK-NEXT: for
// CHECK-NEXT: // allocate A_[[ROW:[0-9]+]]_buffer
// CHECK: >= p_0) {
// CHECK-NEXT: vector
// CHECK-NEXT: for
// CHECK-NEXT: store_A_[[ROW]](
// IR-LABEL: @form_row
// IR: call noalias ptr @__tessera_memory_take.1(
// IR: call void @GOMP_parallel
// IR: define internal void @form_row.tsr.team
// IR-NOT: alloca i8
// IR: ret void
NOINLINE void form_row(long n, long m, long k, double A[restrict n][m][k], double C[restrict k][k], double sum[restrict])
{
  for (long r = 0; r < n; r++)
    for (long q = 0; q < m; q++) {
      for (long p = 0; p < k; p++) {
        sum[p] = 0;
        for (long s = 0; s < k; s++)
          sum[p] += A[r][q][s] * C[s][p];
      }
      for (long p = 0; p < k; p++)
        A[r][q][p] = sum[p];
    }
}

// Two, and the parts of them that are used move with the rows of neither.
// CHECK-LABEL: form_two.0
// CHECK: // parallel
// CHECK-NEXT: for
// CHECK-NEXT: // allocate
// CHECK: // allocate
NOINLINE void form_two(long n, long m, double A[restrict n][m], int first[restrict], double second[restrict])
{
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < m; j++)
      first[j + 3] = (int)(A[i][j] * 7);
    for (long j = 0; j < m; j++)
      second[m - 1 - j] = first[j + 3] * 0.5;
    for (long j = 1; j < m; j++)
      A[i][j] = second[j] + second[j - 1] + first[j + 3];
  }
}

// A global block, larger in each iteration: the work isn't even.
// CHECK-LABEL: form_growing.0
// CHECK: // parallel
// CHECK-NEXT: for
// CHECK-NEXT: // allocate
static float block[8][80];
NOINLINE void form_growing(long n, double A[restrict n][80])
{
  for (long i = 0; i < n; i++) {
    for (long k = 0; k < 8; k++)
      for (long j = 0; j <= i; j++)
        block[k][j] = A[i][j] * k;
    for (long j = 0; j <= i; j++)
      for (long k = 0; k < 8; k++)
        A[i][j] += block[7 - k][i - j];
  }
}

// Soon longer than caches.
// CHECK-LABEL: form_long.0
// CHECK: // parallel
// CHECK-NEXT: for
// CHECK-NEXT: // allocate
NOINLINE void form_long(long n, double row[restrict], const double A[restrict], double B[restrict])
{
  for (long i = 0; i < n; i++) {
    for (long j = 0; j <= 700 * i; j++)
      row[j] = A[j] * (double)i;
    for (long j = 0; j <= 700 * i; j++)
      B[i] += row[700 * i - j] * A[j];
  }
}

// On the stack, and of a length that is known only here.
// CHECK-LABEL: form_vla.0
// CHECK: // parallel
// CHECK-NEXT: for
// CHECK-NEXT: // allocate
NOINLINE double form_vla(long n, long m, double A[restrict n][m])
{
  double row[m + 1];
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < m; j++)
      row[j] = A[i][j] * 3;
    for (long j = 0; j < m; j++)
      A[i][j] = row[m - 1 - j] - row[j];
  }
  return n > 0 && m > 0 ? row[m / 2] : 0;
}

// Smaller in each iteration: what is left comes from all.
// CHECK-LABEL: form_shrinking.0
// CHECK: // parallel
// CHECK-NEXT: for
// CHECK-NEXT: // allocate
NOINLINE void form_shrinking(long n, double A[restrict n][n], double row[restrict])
{
  for (long i = 0; i < n; i++) {
    for (long j = i; j < n; j++)
      row[j] = A[i][j] * 3;
    for (long j = i; j < n; j++)
      A[i][j] = row[n - 1 - j + i] + 1;
  }
}

// The first element is what the iteration before has left.
// CHECK-LABEL: form_carried.0
// CHECK-NOT: allocate
NOINLINE void form_carried(long n, long m, double A[restrict n][m], double row[restrict])
{
  for (long i = 0; i < n; i++) {
    for (long j = 1; j < m; j++)
      row[j] = A[i][j] * 3;
    for (long j = 0; j < m; j++)
      A[i][j] = row[j] + 1;
    row[0] = A[i][0];
  }
}

// Some elements are written only now and then.
// CHECK-LABEL: form_conditional.0
// CHECK-NOT: allocate
NOINLINE void form_conditional(long n, long m, double A[restrict n][m], double row[restrict])
{
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < m; j++)
      if (A[i][j] > 5)
        row[j] = A[i][j] * 3;
    for (long j = 0; j < m; j++)
      A[i][j] = row[j] + 1;
  }
}

// Others that iterations may have for themselves, or not.

NOINLINE void other_memset(long n, long m, double A[restrict n][m], double row[restrict])
{
  for (long i = 0; i < n; i++) {
    memset(row, 0, (unsigned long)m * sizeof(double));
    for (long j = 0; j < m; j++)
      row[m - 1 - j] += A[i][j];
    for (long j = 0; j < m; j++)
      A[i][j] = row[j] - row[m - 1 - j];
  }
}

NOINLINE void other_walk(long n, long m, double *restrict A, float *restrict row)
{
  for (long i = 0; i < n; i++) {
    float *at = row;
    for (long j = 0; j < m; j++)
      *at++ = (float)A[i * m + j] * 3;
    at = row + m;
    for (long j = 0; j < m; j++)
      A[i * m + j] = (double)*--at + (double)row[j];
  }
}

struct point {
  int x;
  short y, z;
};
NOINLINE void other_struct(long n, long m, double A[restrict n][m], struct point row[restrict])
{
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < m; j++) {
      row[j].x = (int)A[i][j];
      row[j].y = (short)j;
    }
    for (long j = 0; j < m; j++)
      A[i][j] = row[m - 1 - j].x + row[j].y;
  }
}

static _Thread_local double of_thread[100];
NOINLINE void other_thread_local(long n, long m, double A[restrict n][m])
{
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < m; j++)
      of_thread[j + 1] = A[i][j] * 3;
    for (long j = 0; j < m; j++)
      A[i][j] = of_thread[j + 1] - of_thread[m - j];
  }
}

// What is summed up in it came from before the loop, in its first element.
NOINLINE void other_exposed(long n, long m, double A[restrict n][m], double row[restrict])
{
  for (long i = 0; i < n; i++) {
    for (long j = 1; j < m; j++)
      row[j] = A[i][j];
    for (long j = 0; j < m; j++)
      A[i][j] = row[m - 1 - j] + row[j];
  }
}

// One of each iteration's elements is the next one's only in odd ones; steps of the loop are two.
NOINLINE void other_steps(long n, long m, double A[restrict n][m], double row[restrict])
{
  for (long i = 0; i < n; i += 2) {
    for (long j = 0; j < m; j += 2)
      row[j] = A[i][j];
    for (long j = 0; j < m; j += 2)
      A[i][j] = row[0] - row[j];
  }
}

// The rows of the last iteration, where the loop runs down.
NOINLINE void other_down(long n, long m, double A[restrict n][m], double row[restrict])
{
  for (long i = n - 1; i >= 0; i--) {
    for (long j = 0; j < m; j++)
      row[j] = A[i][j] * 3;
    for (long j = 0; j < m; j++)
      A[i][j] = row[m - 1 - j] - row[j];
  }
}

#define N 97

static double data[N * N * 40], square[N * N], rest[3 * N * N];
static int numbers[3 * N];

static void fill(double *of, long n, long seed)
{
  for (long i = 0; i < n; i++)
    of[i] = (double)((i * 7 + seed * 3) % 23) - 3;
}

// What was left in everything.
static void show(const char *what)
{
  unsigned long hash = 0;
  for (long i = 0; i < N * N * 40; i++)
    hash = hash * 31 + (unsigned long)(long)(data[i] * 8);
  for (long i = 0; i < N * N; i++)
    hash = hash * 31 + (unsigned long)(long)(square[i] * 8);
  for (long i = 0; i < 3 * N * N; i++)
    hash = hash * 31 + (unsigned long)(long)(rest[i] * 8);
  for (long i = 0; i < 3 * N; i++)
    hash = hash * 31 + (unsigned long)numbers[i];
  for (long i = 0; i < 8 * 80; i++)
    hash = hash * 31 + (unsigned long)(long)(block[0][i] * 8);
  printf("%s %lx\n", what, hash);
}

static void test(long n, long m)
{
  fill(data, N * N * 40, n);
  fill(square, N * N, m);
  fill(rest, 3 * N * N, n + m);
  memset(numbers, 7, sizeof(numbers));
  form_row(n, 3, m < 40 ? m : 40, (void *)data, (void *)square, rest + 1);
  show("row");
  fill(data, N * N * 40, m);
  form_two(n, m, (void *)data, numbers, rest);
  show("two");
  form_growing(n < 80 ? n : 80, (void *)data);
  show("growing");
  form_long(n < 20 ? n : 20, rest + 20, data, square);
  show("long");
  printf("%g\n", form_vla(n, m, (void *)data));
  show("vla");
  form_shrinking(n, (void *)data, rest);
  show("shrinking");
  form_carried(n, m, (void *)data, rest);
  show("carried");
  form_conditional(n, m, (void *)data, rest);
  show("conditional");
  other_memset(n, m, (void *)data, rest);
  show("memset");
  other_walk(n, m, data, (float *)square);
  show("walk");
  other_struct(n, m, (void *)data, (struct point *)square);
  show("struct");
  other_thread_local(n, m, (void *)data);
  for (long i = 0; i < 100; i++)
    rest[i] = of_thread[i];
  show("thread local");
  other_exposed(n, m, (void *)data, rest);
  show("exposed");
  other_steps(n, m, (void *)data, rest);
  show("steps");
  other_down(n, m, (void *)data, rest);
  show("down");
}

int main(void)
{
  static const long sizes[] = {0, 1, 2, 3, 5, 13, 37, 64, N};
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 9; j++)
      test(sizes[i], sizes[j]);
  // Rows too long for a buffer of a thread.
  fill(data, N * N * 40, 5);
  form_two(2, 600000, calloc(1200000, sizeof(double)), malloc(600003 * sizeof(int)), calloc(600000, sizeof(double)));
  show("longer");
}
