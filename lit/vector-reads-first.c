// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iterations that overwrite what the one before has read: vectors must load that in front of their stores. Where no statement
// reads what the same iteration has written, all reads come first, and the loop is one for vectors; where one does, not.
//
// RUN: %clang -O2 -DN=20011 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -DN=20011 -fpass-plugin=%plugin -g -Rpass=tessera %s -o %t 2> %t.remarks && %t > %t.out
// RUN: diff %t.expected %t.out
// RUN: %FileCheck %s --input-file=%t.remarks
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -mavx2 -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: echo 'split: by.preload(i)' > %t.commands
// RUN: %clang -O3 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t.commands -mllvm -tessera-only=^split$ %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out
// RUN: %clang -O3 -mavx2 -DN=20011 -fpass-plugin=%plugin -mllvm -tessera-only=^split$ -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=IR
// RUN: %clang -O3 -mavx2 -DN=20011 -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=PLAIN
#include <stdio.h>
#include <string.h>

#ifndef N
#define N n
#define MOST 5003
#else
#define MOST (N + 5)
#endif
#define FORM(name)                                                                                                          \
  __attribute__((noinline)) static void name(int n, float *restrict ax, float *restrict by, const float *restrict c)

// IR-LABEL: define {{.*}}@split(
// IR: store <8 x float>
// PLAIN-LABEL: define {{.*}}@split(
// PLAIN-NOT: store <8 x float>
// PLAIN: ret void
// CHECK: :[[@LINE+3]]:3: remark: loop nest transformed:
FORM(split)
{
  for (int i = 0; i < N; i++) {
    ax[i] = by[i] * c[i];
    by[i] = ax[i] * ax[i + 1] - c[i];
  }
}

// CHECK: :[[@LINE+3]]:3: remark: loop nest transformed:
FORM(one_statement)
{
  for (int i = 0; i < N; i++) {
    ax[i] = by[i] + c[i] * c[i] + by[i] * by[i] + c[i] / 3;
    by[i] = ax[i] + ax[i + 2] * ax[i + 1];
  }
}

// What is written comes back in a later iteration, or in the same one.
FORM(chained)
{
  for (int i = 1; i < N; i++) {
    ax[i] = by[i] * c[i];
    by[i] = ax[i - 1] * 0.5f + ax[i + 1];
  }
}

FORM(crossing)
{
  for (int i = 0; i < N; i++) {
    ax[i] = by[N - i] * c[i];
    by[i] = ax[N - 1 - i] + ax[i + 1];
  }
}

// Under a condition.
FORM(chosen)
{
  for (int i = 0; i < N; i++) {
    ax[i] = by[i] * c[i];
    if (c[i] > 0)
      by[i] = ax[i + 1] - ax[i] * c[i];
  }
}

static float a[MOST + 8], b[MOST + 8], c[MOST + 8];

static void run(void (*form)(int, float *restrict, float *restrict, const float *restrict), int n)
{
  unsigned long hash = 0;
  for (int i = 0; i < MOST + 8; i++) {
    a[i] = (float)(i * 7919 % 1009) / 311 - 1;
    b[i] = (float)(i * 31 % 97) / 53 - 1;
    c[i] = (float)(i * 17 % 89) / 47 - 1;
  }
  form(n, a, b, c);
  for (int i = 0; i < MOST + 8; i++) {
    unsigned bits[2];
    memcpy(&bits[0], &a[i], sizeof(float));
    memcpy(&bits[1], &b[i], sizeof(float));
    hash = ((hash ^ bits[0]) * 1099511628211u ^ bits[1]) * 1099511628211u;
  }
  printf(" %lx", hash);
}

int main(void)
{
  static const int size[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 65, 127, 1021, 4999};
  for (unsigned s = 0; s < (MOST > 6000 ? 1 : sizeof(size) / sizeof(*size)); s++) {
    int n = MOST > 6000 ? MOST - 5 : size[s];
    printf("%d:", n);
    run(split, n);
    run(one_statement, n);
    run(chained, n);
    run(crossing, n);
    run(chosen, n);
    putchar('\n');
  }
  return 0;
}
