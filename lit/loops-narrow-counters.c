// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters narrower than int with any step: clang adds in int and truncates; late, LLVM counts in int and extends within that.
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.want
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only -Rpass=tessera \
// RUN:   -Rpass-missed=tessera %s -o %t.early 2>&1 | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t.early | diff %t.want -
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only -Rpass=tessera \
// RUN:   -Rpass-missed=tessera -mllvm -tessera-position=late %s -o %t.late 2>&1 | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t.late | diff %t.want -
// CHECK-COUNT-3: loop nest transformed: {{.*}}, 1 loops marked independent
// CHECK: loop nest transformed: {{.*}}
// CHECK-COUNT-6: loop nest transformed: {{.*}}, 1 loops marked independent
#include <stdio.h>
#include <string.h>

#define TEST __attribute__((noinline)) void

TEST test_step(int n, int m, int s, double *a)
{
  for (short i = 2; i < n; i += 2)
    for (short j = 0; j < m; j += 1)
      a[i * 50 + j] += i - j;
}

TEST test_down(int n, int m, int s, double *a)
{
  for (short i = n - 1; i >= 0; i -= 3)
    for (short j = m - 1; j > 0; j--)
      a[i * 50 + j] += i - j;
}

TEST test_bytes(int n, int m, int s, double *a)
{
  for (unsigned char i = 0; i < n; i = i + 3)
    for (signed char j = 2; j <= m; j = 2 + j)
      a[i * 50 + j] += i - j;
}

TEST test_bytes_down(int n, int m, int s, double *a)
{
  for (unsigned char i = n; i > 2; i -= 2)
    for (signed char j = m; j >= 1; j -= 2)
      a[i * 50 + j] += i - j;
}

TEST test_variable(int n, int m, short s, double *a)
{
  for (short i = 0; i < n; i += s)
    a[i] += i;
}

TEST test_variable_byte(int n, int m, unsigned char s, double *a)
{
  for (unsigned short i = 1; i < n; i += s)
    a[i] += i;
}

TEST test_variable_int(int n, int m, int s, double *a)
{
  for (unsigned char i = 1; i < n; i += s) // steps over 255, too
    a[i] += i;
}

TEST test_wide(int n, int m, long s, double *a)
{
  for (int i = 1; i < n; i += s)
    a[i] += i;
}

TEST test_constant(int n, int m, int s, double *a)
{
  for (short i = 0; i < 100; i += 3)
    a[i] += n;
}

TEST test_mask(int n, int m, int s, double *a)
{
  for (int i = 3; i < n; i = (i + 7) & 255)
    a[i] += i;
}

static double a[256 * 50 + 300];

static void report(const char *name)
{
  unsigned long hash = 0;
  for (unsigned i = 0; i < sizeof(a) / sizeof(*a); i++)
    hash = hash * 31 + (long)a[i];
  printf("%s %lx\n", name, hash);
}

int main(void)
{
  static const int sizes[] = {0, 1, 2, 3, 7, 31, 32, 33, 49};
  static const int steps[] = {1, 2, 3, 7, 100};
  for (unsigned k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
    for (unsigned l = 0; l < sizeof(steps) / sizeof(*steps); l++) {
      int n = sizes[k] * 5, m = sizes[(k + l) % 9], s = steps[l];
#define RUN(f) memset(a, 0, sizeof(a)), f(n, m, s, a), report(#f)
      RUN(test_step);
      RUN(test_down);
      RUN(test_bytes);
      RUN(test_bytes_down);
      RUN(test_variable);
      RUN(test_variable_byte);
      RUN(test_variable_int);
      RUN(test_wide);
      RUN(test_constant);
      RUN(test_mask);
    }
  memset(a, 0, sizeof(a));
  test_bytes_down(-1, 300, 0, a); // from 255, from 44
  report("truncated");
}
