// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Minima and maxima of a whole nest, by comparison and by function, are the same with NaN, signed zeros and any number of
// threads.
//
// REQUIRES: gomp
// RUN: %clang -O2 -fno-math-errno %s -lm -lgomp -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fno-math-errno -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -gline-tables-only \
// RUN:   -Rpass=tessera %s -lm -lgomp -o %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=1 %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=2 %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=7 %t > %t.out && diff %t.expected %t.out

// CHECK: loop nest transformed

#include <math.h>
#include <stdio.h>

#define N 120

/* column by column, so that another order of the loops would be better */
__attribute__((noinline)) double least(double a[N][N], double x)
{
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      x = a[i][j] < x ? a[i][j] : x;
  return x;
}

__attribute__((noinline)) double not_greater(double a[N][N], double x)
{
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      x = x > a[i][j] ? x : a[i][j];
  return x;
}

__attribute__((noinline)) void functions(double low[N], double high[N], double *all, double a[N][N])
{
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) {
      low[i] = fmin(low[i], a[i][j]);
      high[i] = fmax(a[i][j], high[i]);
      *all = fmax(*all, a[i][j]);
    }
}

__attribute__((noinline)) void builtins(float low[N], float high[N], float a[N][N])
{
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) {
      low[i] = __builtin_elementwise_minimum(low[i], a[i][j]);
      high[i] = __builtin_elementwise_maximum(a[i][j], high[i]);
    }
}

static double a[N][N], low[N], high[N];
static float b[N][N], few[N], many[N];

static void print(double x)
{
  if (isnan(x))
    printf("nan ");
  else
    printf("%a ", x);
}

int main(void)
{
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        a[i][j] = round == 0 ? ((i * 7 + j) % 3 ? 0.0 : -0.0) : (i * 37 + j * 91) % 199 - 80;
        if (round == 2 && (i * j) % 11 == 5)
          a[i][j] = NAN;
        b[i][j] = a[i][j];
      }
    print(least(a, 0.0));
    print(least(a, -0.0));
    print(least(a, NAN));
    print(not_greater(a, -0.0));
    print(not_greater(a, NAN));
    if (round == 0)
      continue; /* the sign of fmax(0, -0) is anything */
    double all = -1e9;
    functions(low, high, &all, a);
    builtins(few, many, b);
    print(all);
    for (int i = 0; i < N; i++) {
      print(low[i]);
      print(high[i]);
      print(few[i]);
      print(many[i]);
    }
    printf("\n");
  }
}
