// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unsigned parameters narrower than int are never negative, and what a mask or a remainder leaves of a parameter is that,
// whatever the parameter is: nothing is assumed about either.
//
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only \
// RUN:   -Rpass=tessera -Rpass-missed=tessera -Rpass-analysis=tessera %s -o %t 2>&1 | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -mllvm -tessera-position=late %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK: modelled: 1 statements, depth 2{{.*}} assuming [p_0] -> {  :  }
// CHECK: modelled: 1 statements, depth 2{{.*}} assuming [p_{{[0-9]}}, p_0] -> {  : p_0 <= 1000 - p_{{[0-9]}} }
// CHECK: modelled: 1 statements, depth 2{{.*}} assuming [p_{{[0-9]}}, p_0] -> {  : p_0 <= 1000 - p_{{[0-9]}} }
// CHECK: modelled: 5 statements, depth 2{{.*}} assuming [p_0] -> {{{.*}}999
#include <stdbool.h>
#include <stdio.h>

#define N 1000
#define TEST __attribute__((noinline))

TEST void test_byte(unsigned char n, double *restrict a, double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * (long)N + j] += b[j * (long)N + i];
}

TEST void test_two(unsigned short n, unsigned char k, double *restrict a, double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * (long)N + j] += b[j * (long)N + i + k];
}

TEST void test_flag(int n, bool next, double *restrict a, double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * (long)N + j] += b[j * (long)N + i + next];
}

TEST void test_unrolled(unsigned n, double *restrict a, double *restrict b)
{
  for (unsigned j = 0; j < n; j++) {
    for (unsigned i = 0; i < n % 4; i++)
      a[j * (long)N + i] += b[j * (long)N + i];
    for (unsigned i = n % 4; i < n; i += 4) {
      a[j * (long)N + i] += b[j * (long)N + i];
      a[j * (long)N + i + 1] += b[j * (long)N + i + 1];
      a[j * (long)N + i + 2] += b[j * (long)N + i + 2];
      a[j * (long)N + i + 3] += b[j * (long)N + i + 3];
    }
  }
}

static double a[N * N + 300], b[N * N + 300];

static void report(const char *name)
{
  double sum = 0;
  for (int i = 0; i < N * N; i++)
    sum = sum * 0.9999 + a[i];
  printf("%s %.17g\n", name, sum);
}

int main(void)
{
  static const int sizes[] = {0, 1, 3, 4, 5, 31, 33, 127, 128, 200, 255, 256, 300};
  for (int i = 0; i < N * N + 300; i++) {
    a[i] = i * 7 % 101;
    b[i] = i * 5 % 103;
  }
  for (unsigned s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
    int n = sizes[s];
    test_byte((unsigned char)n, a, b);
    report("byte");
    test_two((unsigned short)n, (unsigned char)n, a, b);
    report("two");
    test_flag(n, false, a, b);
    test_flag(n, true, a, b);
    report("flag");
    test_unrolled((unsigned)n, a, b);
    report("unrolled");
  }
}
