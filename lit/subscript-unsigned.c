// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of a counter and a parameter in narrow unsigned types: the largest is checked not to wrap in front of the nest.
//
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only \
// RUN:   -Rpass=tessera -Rpass-missed=tessera %s -o %t 2>&1 | %FileCheck %s --implicit-check-not='not modelled'
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-tile-sizes=4 %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-schedule=pluto %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out

// CHECK-COUNT-3: loop nest transformed

#include <stdio.h>

#define N 50
#define TEST __attribute__((noinline))

TEST void test_leading(unsigned n, unsigned ld, double *restrict a, double *restrict b)
{
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++)
      a[j * ld + i] += b[i * ld + j];
}

TEST void test_offset(unsigned n, unsigned ld, unsigned from, double *a, double *b)
{
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = i; j < n; j++)
      a[(j + 1) * ld + i + from] += b[i * ld + j + from];
}

TEST void test_short(unsigned n, unsigned ld, unsigned char *a, unsigned char *b)
{
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++)
      a[(unsigned short)(j * ld + i)] += b[(unsigned short)(i * ld + j)] + i;
}

static double a[N * N + N], b[N * N + N];
static unsigned char c[65536], d[65536];

int main(void)
{
  for (int i = 0; i < N * N + N; i++) {
    a[i] = i % 7;
    b[i] = i % 5;
  }
  for (int i = 0; i < 65536; i++) {
    c[i] = i;
    d[i] = i >> 3;
  }
  for (unsigned n = 0; n < N - 2; n += 9) {
    test_leading(n, N, a, b);
    test_leading(n, 0, a, b);
    test_offset(n, N, 3, a, b);
    test_offset(n, N, 3, a, a + 1);
    test_offset(n > 3 ? 3 : n, 0xffffffffu, 7, a + N, b + N); /* wraps */
    test_short(n, N, c, d);
    test_short(n, N * 100, c, d);
    test_short(n, 4000000000u, c, c);
    double s = 0;
    for (int i = 0; i < N * N + N; i++)
      s = s * 1.001 + a[i];
    unsigned long h = 0;
    for (int i = 0; i < 65536; i++)
      h = h * 31 + c[i];
    printf("%u %.10g %lu\n", n, s, h);
  }
}
