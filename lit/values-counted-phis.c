// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that loops carry around and that counters tell: numbers of an iteration before, as those of neighbours with periodic
// borders are, and sums of constants that are never rounded. Loops that have them become vector loops; results are the same.
//
// RUN: %clang -O2 -DN=20011 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -DN=20011 -fpass-plugin=%plugin -g -Rpass=tessera %s -o %t 2> %t.remarks && %t > %t.out
// RUN: diff %t.expected %t.out
// RUN: %FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -mavx2 -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-tile-sizes=7 %s -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -DN=20011 -mavx2 -fpass-plugin=%plugin -mllvm -tessera-only=^ramp$ -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=IR
#include <stdio.h>
#include <string.h>

#ifndef N
#define N n
#define MOST 5003
#else
#define MOST (N + 5)
#endif
#define FORM(name) __attribute__((noinline)) static void name(int n, float *restrict a, const float *restrict b)

// IR-LABEL: define {{.*}}@ramp(
// IR: itofp {{(nneg )?}}<{{[0-9]+}} x i32>
// REMARK: :[[@LINE+4]]:3: remark: loop nest transformed:
FORM(ramp)
{
  float s = 0;
  for (int i = 0; i < N; i++) {
    s += 2;
    a[i] = s * b[i];
  }
}

// Down, in quarters, through zero; used in front of the sum.
// REMARK: :[[@LINE+4]]:3: remark: loop nest transformed:
FORM(quarters)
{
  float s = 12.5f;
  for (int i = 0; i < N; i++) {
    a[i] = b[i] / s;
    s -= 0.25f;
  }
}

// What is rounded stays a sum.
// REMARK-NOT: :[[@LINE+4]]:3: remark: loop nest transformed
FORM(tenths)
{
  float s = 0;
  for (int i = 0; i < N; i++) {
    s += 0.1f;
    a[i] = s * b[i];
  }
}

// Too many iterations for exact numbers, if there are as many as there may be; not so of doubles.
FORM(unknown)
{
  float s = 1;
  for (int i = 0; i < n; i++) {
    a[i] = s * b[i];
    s += 4;
  }
}

FORM(of_doubles)
{
  double s = -3;
  for (int i = 0; i < n; i++) {
    a[i] = (float)(s * b[i]);
    s = 1.5 + s;
  }
  a[n] = (float)s;
}

// The first of these zeros is negative.
FORM(negative_zero)
{
  double s = -0.0;
  for (int i = 0; i < N; i++) {
    a[i] = (float)(1 / s);
    s += b[0] > 1e9f ? 0.0 : -0.0;
  }
}

// REMARK: :[[@LINE+4]]:3: remark: loop nest transformed:
FORM(periodic)
{
  int before = N - 1;
  for (int i = 0; i < N; i++) {
    a[i] = b[i] - b[before];
    before = i;
  }
}

// REMARK: :[[@LINE+4]]:3: remark: loop nest transformed:
FORM(two_before)
{
  int before = N - 1, long_before = N - 2;
  for (int i = 0; i < N; i++) {
    a[i] = b[i] + 2 * b[before < 0 ? 0 : before] - 3 * b[long_before < 0 ? 0 : long_before];
    long_before = before;
    before = i;
  }
}

// Backwards, in steps of two; what was there comes out as well.
FORM(backwards)
{
  unsigned after = 1;
  int i;
  for (i = N - 1; i >= 0; i -= 2) {
    a[i] = b[after] + b[i];
    after = (unsigned)i + 1;
  }
  a[N] = (float)after;
}

// Rows.
FORM(rows)
{
  int before = 6;
  for (int i = 0; i < 7; i++) {
    for (int j = 0; j < N / 7; j++)
      a[i * (MOST / 7) + j] = b[before * (MOST / 7) + j] + b[i * (MOST / 7) + j];
    before = i;
  }
}

// It may be anything at first, and its successor has another form.
FORM(jump)
{
  int before = (int)b[2] & 1;
  for (int i = 0; i < N; i++) {
    a[i] = b[before];
    before = (3 * i) % (N + 1);
  }
}

static float a[MOST + 5], b[MOST + 5];

static void run(void (*form)(int n, float *restrict a, const float *restrict b), int n)
{
  unsigned long hash = 0;
  for (int i = 0; i < MOST + 5; i++) {
    a[i] = (float)i;
    b[i] = (float)(i * 7919 % 1009) / 31 - 11;
  }
  form(n, a, b);
  for (int i = 0; i < MOST + 5; i++) {
    unsigned bits;
    memcpy(&bits, &a[i], sizeof(bits));
    hash = (hash ^ (a[i] == a[i] ? bits : 1)) * 1099511628211u;
  }
  printf(" %lx", hash);
}

int main(void)
{
  static const int size[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 97, 127, 129, 1021, 4999};
  for (unsigned s = 0; s < (MOST > 6000 ? 1 : sizeof(size) / sizeof(*size)); s++) {
    int n = MOST > 6000 ? MOST - 5 : size[s];
    printf("%d:", n);
    run(ramp, n);
    run(quarters, n);
    run(tenths, n);
    run(unknown, n);
    run(of_doubles, n);
    run(negative_zero, n);
    run(rows, n);
    run(jump, n);
    if (n > 1) {
      run(periodic, n);
      run(two_before, n);
      run(backwards, n);
    }
    putchar('\n');
  }
  return 0;
}
