// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Extremes and their places, and other values that iterations change where a condition about them holds: blocks of iterations
// that change nothing are told by vectors, and left out. Results are the same down to the signs of zeros and to NaNs, whatever
// the data: in no order, ascending, where each iteration changes something, or all equal. Extremes alone are found by vectors
// where they change, too, as whole numbers whose order is theirs.
//
// RUN: %clang -O2 -DN=20011 %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -DN=20011 -fpass-plugin=%plugin -g -Rpass=tessera %s -lm -o %t 2> %t.remarks && %t > %t.out
// RUN: diff %t.expected %t.out
// RUN: %FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: %clang -O2 %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -g -Rpass=tessera %s -lm -o %t 2> %t.remarks && %t > %t.out && diff %t.expected %t.out
// RUN: %FileCheck %s --check-prefix=SIZES --input-file=%t.remarks
// RUN: %clang -O3 -mavx2 -fpass-plugin=%plugin -mllvm -tessera-force %s -lm -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-parallel -mllvm -tessera-force %s -lgomp -lm -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -mavx2 -fpass-plugin=%plugin -DN=20011 -mllvm -tessera-only=^largest$ -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=IR
// RUN: %clang -O3 -mavx2 -DN=20011 -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=PLAIN
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifndef N
#define N n
#define MOST 5000
#else
#define MOST (N + 5)
#endif
#define NOINLINE __attribute__((noinline)) static

// IR-LABEL: define {{.*}}@largest(
// IR: fcmp ogt <{{[0-9]+}} x float>
// IR: call <8 x i32> @llvm.smax.v8i32(
// PLAIN-LABEL: define {{.*}}@largest(
// PLAIN-NOT: fcmp ogt <
// PLAIN: ret float
// SIZES: :[[@LINE+5]]:3: remark: loop nest transformed: {{.*}}runs where n {{.*}}>= 
// REMARK: :[[@LINE+4]]:3: remark: loop nest transformed:
NOINLINE float largest(int n, const float *a)
{
  float x = a[0];
  for (int i = 0; i < N; i++)
    if (a[i] > x)
      x = a[i];
  return x;
}

// SIZES: :[[@LINE+5]]:3: remark: loop nest transformed: {{.*}}runs where n {{.*}}>= 
// REMARK: :[[@LINE+4]]:3: remark: loop nest transformed:
NOINLINE double smallest(int n, const double *a)
{
  double x = a[0];
  for (int i = 1; i < N; i++)
    x = x <= a[i] ? x : a[i];
  return x;
}

// SIZES: :[[@LINE+6]]:3: remark: loop nest transformed: {{.*}}runs where n {{.*}}>= 
// REMARK: :[[@LINE+5]]:3: remark: loop nest transformed:
NOINLINE double place_of_largest(int n, const double *a)
{
  double x = fabs(a[0]);
  int at = 0;
  for (int i = 1; i < N; i++) {
    if (fabs(a[i]) <= x)
      continue;
    x = fabs(a[i]);
    at = i;
  }
  return x + at;
}

// The last of equals.
// REMARK: :[[@LINE+5]]:3: remark: loop nest transformed:
NOINLINE long last_smallest(int n, const int *k)
{
  int x = k[0];
  long at = 0;
  for (int i = 0; i < N; i++)
    if (k[i] <= x) {
      x = k[i];
      at = i;
    }
  return at * 1000 + x;
}

// REMARK: :[[@LINE+5]]:3: remark: loop nest transformed:
NOINLINE double in_rows(int n, const double *a)
{
  double x = a[0];
  int row = 0, column = 0;
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < N / 10; j++)
      if (a[i * (MOST / 10) + j] > x) {
        x = a[i * (MOST / 10) + j];
        row = i;
        column = j;
      }
  return x + 100 * row + column;
}

// Backwards; two thresholds, of which one iteration changes one.
// REMARK: :[[@LINE+4]]:3: remark: loop nest transformed:
NOINLINE float range(int n, const float *a)
{
  float lo = 1, hi = -1;
  for (int i = N - 1; i >= 0; i--) {
    lo = a[i] < lo ? a[i] : lo;
    hi = a[i] > hi ? a[i] : hi;
  }
  return hi - lo * 3;
}

// Of equal ones the last: signs of zeros; thresholds that no value comes from.
// REMARK: :[[@LINE+4]]:3: remark: loop nest transformed:
NOINLINE double next_to_zero(int n, const double *a)
{
  double x = INFINITY, y = -3;
  for (int i = 0; i < N; i++) {
    x = fabs(a[i] + 2) <= x ? fabs(a[i] + 2) : x;
    y = y > -a[i] ? y : -a[i];
  }
  return x - y * 3;
}

// Not an extreme: what is compared is not what is kept.
// REMARK: :[[@LINE+4]]:3: remark: loop nest transformed:
NOINLINE float larger_than_half(int n, const float *a)
{
  float x = 0;
  for (int i = 0; i < N; i++)
    x = a[i] > x ? a[i] * 0.5f : x;
  return x;
}

// Not the largest: what is larger than twice the last one found.
// REMARK: :[[@LINE+5]]:3: remark: loop nest transformed:
NOINLINE float doubling(int n, const float *a, const float *b)
{
  float x = 1e-3f, sum = 0;
  int found = 0;
  for (int i = 0; i < N; i++)
    if (a[i] * b[i] > x + x) {
      x = a[i] * b[i];
      sum = b[i] - sum;
      found++;
    }
  return x + sum * found;
}

// With a step that nobody knows.
// REMARK: :[[@LINE+5]]:3: remark: loop nest transformed:
NOINLINE float strided(int n, const float *a, int step)
{
  float x = fabsf(a[0]);
  int at = 0, k = step;
  for (int i = 1; i < N; i++, k += step)
    if (fabsf(a[k]) > x) {
      x = fabsf(a[k]);
      at = i;
    }
  return x + (float)at;
}

// Addresses depend on what changes: left alone.
NOINLINE float jumping(int n, const float *a)
{
  int at = 0;
  for (int i = 0; i < N; i++)
    if (a[i] > a[at] + 1)
      at = i;
  return a[at] + at;
}

// A division that the original doesn't do: left alone.
NOINLINE int dividing(int n, const int *k)
{
  int x = 1;
  for (int i = 0; i < N; i++)
    if (k[i] / x > 3)
      x = k[i];
  return x;
}

// What is behind is anything but rare; correct all the same.
NOINLINE float counting(int n, const float *a, float *sum)
{
  float x = a[0];
  for (int i = 0; i < N; i++) {
    if (a[i] > x)
      x = a[i];
    *sum += x;
  }
  return x;
}

static float f[3 * MOST], g[3 * MOST];
static double d[3 * MOST];
static int k[3 * MOST];

static void fill(int n, int kind)
{
  unsigned seed = 7;
  for (int i = 0; i < 3 * MOST; i++) {
    seed = seed * 1664525 + 1013904223;
    double any = (int)(seed >> 8) % 2001 - 1000;
    double x = kind == 0   ? any / 7
               : kind == 1 ? i
               : kind == 2 ? -i
               : kind == 3 ? 5
               : kind == 4 ? (i % 3 ? -0.0 : 0.0)
               : kind == 5 ? (i % 3 ? 0.0 : -0.0)
               : kind == 6 ? (seed >> 28 ? any : NAN)
               : kind == 7 ? (i ? any : NAN)
               : kind == 8 ? (i == n - 1 ? 1e30 : -1)
               : kind == 9 ? i * (i % 2 ? 0x1p-1074 : 0x1p-149)
               : kind == 10 ? n / 2 - i
               : kind == 11 ? (i > n / 2 && seed >> 28 == 0 ? NAN : i)
                           : (i == n / 2 ? INFINITY : -INFINITY);
    f[i] = (float)x;
    g[i] = (float)(any / 100);
    d[i] = x;
    k[i] = (int)(any / 3);
  }
}

static void show(double x)
{
  unsigned long bits;
  if (x != x)
    x = NAN;
  memcpy(&bits, &x, sizeof(bits));
  printf(" %lx", bits);
}

int main(void)
{
  static const int size[] = {0, 1, 2, 3, 15, 16, 17, 31, 33, 127, 128, 129, 257, 641, 1021, 4096, 4999};
  for (int kind = 0; kind < 13; kind++)
    for (unsigned s = 0; s < (MOST > 5000 ? 1 : sizeof(size) / sizeof(*size)); s++) {
      int n = MOST > 5000 ? MOST - 5 : size[s];
      float sum = 0;
      fill(n, kind);
      printf("%d %d:", kind, n);
      show(largest(n, f));
      show(smallest(n, d));
      show(place_of_largest(n, d));
      show(last_smallest(n, k));
      show(in_rows(n, d));
      show(range(n, f));
      show(next_to_zero(n, d));
      show(larger_than_half(n, f));
      show(doubling(n, f, g));
      show(strided(n, f, 1));
      show(strided(n / 3, f, 3));
      show(jumping(n, f));
      show(dividing(n, k));
      show(counting(n, f, &sum));
      show(sum);
      putchar('\n');
    }
  return 0;
}
