// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Register tiles pay from some sizes on; below these, loops in another order run where they gain, below that the original. All of
// it gives what the original does; commands say it by "otherwise", and give the same code again.
//
// RUN: %clang -O3 -march=x86-64 -g -fpass-plugin=%plugin -Rpass=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// CHECK: :[[#@LINE+19]]:3: remark: loop nest transformed: {{.*}}register tiles of {{.*}}; runs where {{.*}}, with tiles or lanes where
//
// RUN: %clang -O2 %s -DMAIN -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64 -ffp-contract=off -fpass-plugin=%plugin %s -DMAIN -o %t && %t > %t.out
// RUN: diff %t.expected %t.out
//
// RUN: %clang -O3 -march=x86-64 -fpass-plugin=%plugin -mllvm -tessera-print=commands -c %s -o %t.1.o 2> %t.commands
// RUN: %FileCheck %s --check-prefix=COMMANDS --input-file=%t.commands
// COMMANDS: register_tiles()
// COMMANDS: otherwise
// COMMANDS: set_schedule(
// COMMANDS: only
// COMMANDS-NEXT: where_it_pays
// RUN: %clang -O3 -march=x86-64 -fpass-plugin=%plugin -mllvm -tessera-commands=%t.commands -c %s -o %t.2.o && cmp %t.1.o %t.2.o
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void product(int m, int n, const double *restrict a, const double *restrict b, double *restrict c)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = b[i * n + j];
      for (int p = 0; p < i; p++)
        sum += a[i * m + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}

#ifdef MAIN
int main(void)
{
  static const int size[] = {0, 1, 2, 3, 4, 5, 7, 12, 13, 16, 31, 64, 65, 97};
  enum { N = sizeof(size) / sizeof(*size), MOST = 97 };
  double *a = malloc(MOST * MOST * sizeof(*a)), *b = malloc(MOST * MOST * sizeof(*b)), *c = malloc(MOST * MOST * sizeof(*c));
  for (int i = 0; i < MOST * MOST; i++) {
    a[i] = i * 7919 % 1009 * 0.001;
    b[i] = i * 104729 % 997 * 0.01;
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double all = 0;
      for (int k = 0; k < MOST * MOST; k++)
        c[k] = k;
      product(size[i], size[j], a, b, c);
      for (int k = 0; k < MOST * MOST; k++)
        all = all * 0.9999 + c[k];
      printf("%d %d %a\n", size[i], size[j], all);
    }
  free(a);
  free(b);
  free(c);
}
#endif
