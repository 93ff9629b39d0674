// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions beside one that is transformed get the same machine code as without the plugin.
//
// RUN: %clang -O3 -ffunction-sections -c %s -o %t.plain.o
// RUN: %clang -O3 -ffunction-sections -fpass-plugin=%plugin -gline-tables-only -Rpass=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %llvm-objdump -dr --no-show-raw-insn -j .text.average -j .text.find -j .text.say -j .text.use %t.plain.o > %t.expected
// RUN: %llvm-objdump -dr --no-show-raw-insn -j .text.average -j .text.find -j .text.say -j .text.use %t.o > %t.code
// RUN: sed -i -e '/file format/d' -e 's/\.L\.str\.[0-9]*/.L.str/' %t.expected %t.code
// RUN: %FileCheck %s --check-prefix=CODE < %t.code
// RUN: diff %t.expected %t.code

// CHECK: remark: loop nest transformed
// CHECK-NOT: remark
// CODE: <average>:
// CODE: <find>:
// CODE: <say>:
// CODE: <use>:

#include <stdio.h>

__attribute__((noinline)) void gemm(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

double average(const double *x, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i];
  return sum / n;
}

const int *find(const int *x, int n, int what)
{
  for (int i = 0; i < n; i++)
    if (x[i] == what)
      return x + i;
  return NULL;
}

void say(const char **text, int n)
{
  for (int i = 0; i < n; i++)
    printf("%d: %s\n", i, text[i] ? text[i] : "none");
}

void use(int n, double *c, double *a)
{
  gemm(n, c, a, a);
  puts("done");
}
