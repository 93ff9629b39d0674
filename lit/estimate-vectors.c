// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors in place of numbers are worth a change wherever data is: from memory they are no slower, from a cache they are much
// faster. What LLVM makes vectors of by itself stays.
//
// RUN: %clang -O3 -march=znver5 -gline-tables-only -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera -c -o /dev/null %s 2>&1 | %FileCheck %s
// RUN: %clang -O3 -DRUN %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -DRUN -march=x86-64-v3 -fpass-plugin=%plugin %s -o %t.tsr && %t.tsr | diff %t.expected -

#include <stdio.h>
#define N 32000
#define NOINLINE __attribute__((noinline))
static float a[N + 1], b[N + 1], c[N + 1], d[N + 1], e[N + 1];

// The dependence turns at the middle: on both sides of it iterations are independent.
// CHECK: [[#@LINE+3]]:3: remark: loop nest transformed
NOINLINE void middle(void)
{
  for (int i = 0; i < N; i++)
    a[i] = a[N / 2] + b[i];
}

// What is read was written by the iteration before, in a statement behind: the statements change places, in loops of their own.
// CHECK: [[#@LINE+3]]:3: remark: loop nest transformed
NOINLINE void turned(void)
{
  for (int i = 1; i < N - 1; i++) {
    a[i] = b[i - 1] + c[i] * d[i];
    b[i] = b[i + 1] - e[i] * d[i];
  }
}

// A condition of the iteration keeps LLVM from whole vectors: two loops.
// CHECK: [[#@LINE+3]]:3: remark: loop nest transformed
NOINLINE void halves(void)
{
  for (int i = 0; i < N; i++)
    if (i + 1 < N / 2)
      a[i] += b[i] * c[i];
    else
      a[i] += b[i] * d[i];
}

// One statement leaves to others behind it alone, and overwrites what it has read itself: LLVM does these.
// CHECK: [[#@LINE+3]]:3: remark: loop nest left as it is
NOINLINE void forward(void)
{
  for (int i = 0; i < N - 1; i++) {
    a[i + 1] = b[i] + d[i];
    a[i] = b[i] + c[i];
  }
}

// CHECK: [[#@LINE+3]]:3: remark: loop nest left as it is
NOINLINE void ahead(void)
{
  for (int i = 0; i < N - 1; i++)
    a[i] = a[i + 1] * 0.5f + b[i];
}

// What is overwritten is what is there: LLVM loads it once.
// CHECK: [[#@LINE+3]]:3: remark: loop nest left as it is
NOINLINE void spread(void)
{
  for (int i = 0; i < N; i++)
    a[i] = a[0];
}

#ifdef RUN
static void show(const char *name)
{
  double sum = 0;
  for (int i = 0; i <= N; i++)
    sum = sum * 0.9 + a[i] + 2 * b[i];
  printf("%s %a\n", name, sum);
}

int main(void)
{
  for (int i = 0; i <= N; i++) {
    a[i] = i % 7 * 0.25f;
    b[i] = i % 11 * 0.5f;
    c[i] = i % 13 * 0.125f;
    d[i] = i % 5;
    e[i] = i % 3 * 0.5f;
  }
  middle();
  show("middle");
  turned();
  show("turned");
  halves();
  show("halves");
  forward();
  show("forward");
  ahead();
  show("ahead");
  spread();
  show("spread");
}
#endif
