// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops unrolled by hand that begin anywhere: i += 4 doesn't make rows of four elements, or of 4000, of which all but one
// start would have to be excluded.
//
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only \
// RUN:   -Rpass=tessera -Rpass-missed=tessera -Rpass-analysis=tessera %s -o %t 2>&1 | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -mllvm -tessera-position=late %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK: modelled: 5 statements, depth 1{{.*}}assuming [p_1, p_0] -> {  : p_0 <= 2147483643 }
// CHECK: modelled: 2 statements, depth 2{{.*}}p_0 <= 1000
// CHECK: modelled: 1 statements, depth 1{{.*}}assuming [{{.*}}] -> {  :  }
// CHECK: modelled: 2 statements, depth 1{{.*}}assuming [p_2, p_0] -> {  : -1073741824 <= p_0 <= 1073741823 }
#include <stdio.h>

#define N 1000
#define TEST __attribute__((noinline))

TEST void test_vector(int n, int m, double *restrict x, double *restrict y)
{
  for (int i = m; i + 4 < n; i += 5) {
    y[i] += 2 * x[i];
    y[i + 1] += 2 * x[i + 1];
    y[i + 2] += 2 * x[i + 2];
    y[i + 3] += 2 * x[i + 3];
    y[i + 4] += 2 * x[i + 4];
  }
}

TEST void test_rows(int n, int m, double *restrict x, double *restrict y)
{
  for (int j = 0; j < n; j++)
    for (int i = m; i + 1 < n; i += 2) {
      y[j * (long)N + i] += x[i * (long)N + j];
      y[j * (long)N + i + 1] += x[(i + 1) * (long)N + j];
    }
}

TEST void test_channel(int n, int c, double *restrict x, double *restrict y)
{
  for (int i = 0; i + 2 < n; i += 3)
    y[i + c] += x[i + c] * x[i];
}

TEST void test_fold(int n, int k, double *restrict x, double *restrict y)
{
  const double *p = x, *q = x + 2 * n;
  for (int i = 0; i < n; i++) {
    *y++ = p[k] - *q;
    *y++ = *p + q[k];
    p += 2;
    q -= 2;
  }
}

static double x[N * N], y[N * N];

static void report(const char *name, int n, int m)
{
  double sum = 0;
  for (int i = 0; i < N * N; i++)
    sum = sum * 0.9999 + y[i];
  printf("%s %d %d %.17g\n", name, n, m, sum);
}

int main(void)
{
  static const int sizes[] = {0, 1, 4, 5, 6, 31, 32, 33, 100, 127};
  for (int i = 0; i < N * N; i++) {
    x[i] = i * 5 % 103;
    y[i] = i * 7 % 101;
  }
  for (unsigned s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
    for (int m = 0; m < 7; m++) {
      test_vector(sizes[s], m, x, y);
      report("vector", sizes[s], m);
      test_rows(sizes[s], m, x, y);
      report("rows", sizes[s], m);
      test_channel(sizes[s], m, x, y);
      report("channel", sizes[s], m);
      test_fold(sizes[s], 3 * m, x, y);
      report("fold", sizes[s], m);
    }
}
