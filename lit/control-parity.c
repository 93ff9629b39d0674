// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Remainders and masks by powers of two, in conditions and in subscripts: scalar evolution has them as numbers of one bit, of
// two, .., which are meant to wrap. Nothing is assumed about them, and the new code runs for all sizes.
//
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only \
// RUN:   -Rpass=tessera -Rpass-missed=tessera -Rpass-analysis=tessera %s -o %t 2>&1 | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -mllvm -tessera-position=late \
// RUN:   -gline-tables-only -Rpass=tessera -Rpass-missed=tessera -Rpass-analysis=tessera %s -o %t 2>&1 \
// RUN:   | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK: modelled: 1 statements, depth 2{{.*}}, assuming [[[P:p_[0-9]+]]] -> {  : [[P]] <= 100 }
// CHECK: modelled: 1 statements, depth 2{{.*}}, assuming [[[P:p_[0-9]+]]] -> {  : [[P]] <= 100 }
// CHECK: modelled: 1 statements, depth 2{{.*}}, assuming [[[P:p_[0-9]+]]] -> {  : [[P]] <= 100 }
// CHECK: modelled: {{[1-3]}} statements, depth 2{{.*}}, assuming [[[P:p_[0-9]+]]] -> {  : [[P]] <= 100 }
// CHECK: modelled: {{[1-3]}} statements, depth 2{{.*}}, assuming [[[P:p_[0-9]+]]] -> {  : [[P]] <= 100 }
// CHECK: modelled: {{[1-3]}} statements, depth 2{{.*}}, assuming [[[P:p_[0-9]+]]] -> {  : [[P]] <= 100 }
// CHECK: modelled: {{.*}} depth 2{{.*}}, assuming [[[P:p_[0-9]+]]] -> {  : [[P]] <= 101 }
// CHECK: modelled: {{.*}} depth 2{{.*}}, assuming [[[P:p_[0-9]+]]] -> {  : [[P]] <= 100 }
#include <stdio.h>

#define N 100
#define TEST __attribute__((noinline))

TEST void test_even(double (*restrict a)[N], double (*restrict b)[N], int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (j % 2 == 0)
        a[i][j] += b[j][i];
}

TEST void test_red(double (*restrict a)[N], double (*restrict b)[N], int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if ((i + j) & 1)
        a[i][j] += b[j][i];
}

TEST void test_two_bits(double (*restrict a)[N], double (*restrict b)[N], int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if ((unsigned)(i + 3 * j) % 4u >= 2)
        a[i][j] += b[j][i];
}

TEST void test_both(double (*restrict a)[N], double (*restrict b)[N], int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (i % 2 == 0)
        a[i][j] += b[i][j];
      b[i][j] *= 2;
    }
}

TEST void test_switch(double (*restrict a)[N], double (*restrict b)[N], int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      switch ((i - j) & 3) {
      case 0:
        a[i][j] += b[j][i];
        break;
      case 3:
        a[i][j] -= b[j][i];
        break;
      default:
        break;
      }
}

TEST void test_sides(double (*restrict a)[N], double (*restrict b)[N], int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if ((i & 1) != (j & 1))
        a[i][j] = b[j][i];
}

TEST void test_buffers(double (*restrict a)[N + 2], double (*restrict b)[N], int n)
{
  for (int t = 0; t < n; t++)
    for (int i = 1; i < n; i++)
      a[(t + 1) % 2][i] = (a[t % 2][i - 1] + a[t % 2][i] + a[t % 2][i + 1]) * 0.25;
}

TEST void test_ring(double (*restrict a)[N], double (*restrict b)[N], int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i & 7][j] += b[i][(j * 3) & 63];
}

static double a[N + 2][N + 2], b[N][N];

static void report(const char *name)
{
  double sum = 0;
  for (int i = 0; i < N + 2; i++)
    for (int j = 0; j < N + 2; j++)
      sum = sum * 0.999 + a[i][j] + (i < N && j < N ? b[i][j] : 0);
  printf("%s %.17g\n", name, sum);
}

int main(void)
{
  static const int sizes[] = {0, 1, 2, 3, 17, 31, 32, 33, 64, 97, N};
  for (unsigned s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
    int n = sizes[s];
    for (int i = 0; i < N + 2; i++)
      for (int j = 0; j < N + 2; j++) {
        a[i][j] = (i * 7 + j * 3) % 11 - 5;
        if (i < N && j < N)
          b[i][j] = (i * 5 + j * 13) % 17 - 8;
      }
    test_even((double (*)[N])a, b, n);
    report("even");
    test_red((double (*)[N])a, b, n);
    report("red");
    test_two_bits((double (*)[N])a, b, n);
    report("two bits");
    test_both((double (*)[N])a, b, n);
    report("both");
    test_switch((double (*)[N])a, b, n);
    report("switch");
    test_sides((double (*)[N])a, b, n);
    report("sides");
    test_buffers(a, b, n);
    report("buffers");
    test_ring((double (*)[N])a, b, n);
    report("ring");
  }
}
