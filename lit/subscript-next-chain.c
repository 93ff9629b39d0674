// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one way of splitting c's subscripts would have to assume is too complex, the next one will do. Nothing is kept of the
// first, which the sanitised build checks.
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -Rpass=tessera %s -o %t.tessera 2>&1 | %FileCheck %s
// RUN: %clang -O3 %s -o %t.plain && %t.plain > %t.want
// RUN: %t.tessera | diff %t.want -
// CHECK: subscript-next-chain.c:[[@LINE+7]]:{{.*}}remark: loop nest transformed
#include <stdio.h>

__attribute__((noinline)) void update(long n, int m, int p, int ld3, int ld4, int ld5, unsigned char *b, unsigned char *c,
                                      unsigned char **d, const short *next)
{
  for (short i = 2; i < m; i = next[i])
    for (int j = i; j < m - 2; j += 2) {
      unsigned char max = c[(n - j + 45) * ld4 * ld5 + i * ld5 + j] >= d[i][2 * j + 2] ? c[(n - j + 45) * ld4 * ld5 + i * ld5 + j]
                                                                                       : d[i][2 * j + 2];
      b[(3 * i + 2) * ld3 + (p - j + 45)] = max - b[(3 * i + 1) * ld3 + (p - j + 45)];
    }
}

int main(void)
{
  static unsigned char b[20000], c[200000], data[43 * 100], *d[43];
  for (int i = 0; i < 200000; i++)
    c[i] = i * 7 % 251;
  for (int i = 0; i < 43 * 100; i++)
    data[i] = i * 11 % 241;
  short next[43];
  for (int i = 0; i < 43; i++)
    d[i] = data + i * 100, next[i] = i + 1;
  for (int m = 0; m <= 43; m += m == 4 ? 39 : 1) {
    update(20, m, 40, 90, 31, 43, b, c, d, next);
    update(20, m, 40, 1, 31, 43, b, c, d, next);
    update(20, m, 40, 90, 31, 43, c, c, d, next); // overlap
  }
  unsigned sum = 0;
  for (int i = 0; i < 200000; i++)
    sum = sum * 31 + c[i] + b[i % 20000];
  printf("%u\n", sum);
}
