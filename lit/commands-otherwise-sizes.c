// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands behind `otherwise`, where nothing is for threads, is for sizes at which what is above doesn't pay. Where that pays at
// all sizes, or nobody knows, it isn't there: one of them runs, not both.
//
// RUN: printf 'fixed:\n  tile()\n  otherwise\n  vectorize()\n  where_it_pays\nsome:\n  tile()\n  otherwise\n  vectorize()\n  where_it_pays\n' > %t.commands
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-commands=%t.commands -Rpass=tessera %s -o %t 2>&1 | %FileCheck %s
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-commands=%t.commands -mllvm -tessera-force %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-commands=%t.commands -mllvm -tessera-parallel %s -o %t -lgomp && %t > %t.out
// RUN: diff %t.expected %t.out
//
// Without where_it_pays nobody asks for sizes.
// RUN: printf 'some:\n  tile()\n  otherwise\n  vectorize()\n' > %t.always
// RUN: not %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-commands=%t.always -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=ALWAYS
// ALWAYS: :3:3: otherwise: there are no loops for threads, or for a GPU, in front of it, and no where_it_pays
#include <stdio.h>

enum { N = 512 };
static double a[N * N], c[N * N];

// CHECK: remark: loop nest transformed: as commanded
__attribute__((noinline)) void fixed(double (*restrict x)[N], double (*restrict y)[N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      y[i][j] += x[j][i];
}

// CHECK: remark: loop nest transformed: as commanded
__attribute__((noinline)) void some(int n, double (*restrict x)[n], double (*restrict y)[n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      y[i][j] += 2 * x[j][i];
}

int main(void)
{
  static const int size[] = {0, 1, 2, 3, 31, 32, 33, 64};
  for (int i = 0; i < N * N; i++)
    a[i] = i * 7919 % 1009 * 0.001;
  fixed((void *)a, (void *)c);
  for (unsigned i = 0; i < sizeof(size) / sizeof(*size); i++) {
    double all = 0;
    some(size[i], (void *)a, (void *)c);
    for (int k = 0; k < N * N; k++)
      all = all * 0.9999 + c[k];
    printf("%a\n", all);
  }
}
