// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bound that is what a smaller type leaves of a parameter: it is the parameter only where that fits, which is checked. So
// are subscripts, conditions and starts.
//
// RUN: mkdir -p %t.d
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-dump=%t.d -c %s -o %t.o
// RUN: %FileCheck %s --input-file=%t.d/bound.0.scop
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out

#include <stdio.h>

#define NOINLINE __attribute__((noinline))
static double A[70000];

// CHECK: assumed: "[p_0] -> { {{.*}}-32768 <= p_0 <= 32767
NOINLINE void bound(int n)
{
  for (long i = 0; i < (short)n; i++)
    A[i] = 2 * A[i] + 1;
}

NOINLINE void of_char(long n)
{
  for (long i = 0; i < (signed char)n; i++)
    A[i] = 2 * A[i] + 1;
}

NOINLINE void is_unsigned(long n)
{
  for (long i = 0; i < (unsigned short)n; i++)
    A[i] = 2 * A[i] + 1;
}

NOINLINE void subscript(long n, int at)
{
  for (long i = 0; i < n; i++)
    A[(short)at + i + 33000] = A[i] + 1;
}

NOINLINE void condition(long n, int at)
{
  for (long i = 0; i < n; i++)
    if ((short)at < i)
      A[i] = A[i] + 1;
}

NOINLINE void start(long n, long at)
{
  for (long i = (int)at; i < n; i++)
    A[i] = A[i] + 1;
}

int main(void)
{
  static const long value[] = {-65530, -32769, -32768, -1, 0, 1, 127, 128, 10, 266, 32767, 32768, 65535, 65546, 4294967306};
  for (unsigned v = 0; v < sizeof(value) / sizeof(*value); v++) {
    for (int i = 0; i < 70000; i++)
      A[i] = i % 17;
    bound((int)value[v]);
    of_char(value[v]);
    is_unsigned(value[v]);
    subscript(2000, (int)value[v]);
    condition(300, (int)value[v]);
    if ((int)value[v] >= 0)
      start(20, value[v]);
    double sum = 0;
    for (int i = 0; i < 70000; i++)
      sum += A[i] * (1 + i % 7);
    printf("%ld %.17g\n", value[v], sum);
  }
}
