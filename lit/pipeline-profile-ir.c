// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A profile that was made by a program with the plugin fits the program with the plugin: no function loses it.
//
// REQUIRES: profile
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-position=early -fprofile-generate %s -o %t.gen
// RUN: env LLVM_PROFILE_FILE=%t.dir/early.raw %t.gen | diff %t.expected -
// RUN: %llvm-profdata merge %t.dir/early.raw -o %t.dir/early.prof
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-position=early -fprofile-use=%t.dir/early.prof -Werror -Wprofile-instr-out-of-date \
// RUN:   -Wprofile-instr-unprofiled -Wbackend-plugin %s -o %t -gline-tables-only -Rpass=tessera -mllvm -pgo-warn-missing-function 2>&1 | %FileCheck %s
// RUN: %t | diff %t.expected -
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-position=both -fprofile-generate %s -o %t.gen
// RUN: env LLVM_PROFILE_FILE=%t.dir/both.raw %t.gen | diff %t.expected -
// RUN: %llvm-profdata merge %t.dir/both.raw -o %t.dir/both.prof
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-position=both -fprofile-use=%t.dir/both.prof -Werror -Wprofile-instr-out-of-date \
// RUN:   -Wprofile-instr-unprofiled -Wbackend-plugin %s -o %t -gline-tables-only -Rpass=tessera -mllvm -pgo-warn-missing-function 2>&1 | %FileCheck %s
// RUN: %t | diff %t.expected -
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-position=late -mllvm -tessera-force -mllvm -tessera-only=product -fprofile-generate %s -o %t.gen
// RUN: env LLVM_PROFILE_FILE=%t.dir/late.raw %t.gen | diff %t.expected -
// RUN: %llvm-profdata merge %t.dir/late.raw -o %t.dir/late.prof
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-position=late -mllvm -tessera-force -mllvm -tessera-only=product -fprofile-use=%t.dir/late.prof -Werror -Wprofile-instr-out-of-date \
// RUN:   -Wprofile-instr-unprofiled -Wbackend-plugin %s -o %t -gline-tables-only -Rpass=tessera -mllvm -tessera-verify -mllvm -pgo-warn-missing-function 2>&1 | %FileCheck %s
// RUN: %t | diff %t.expected -
// RUN: %clang -O2 -fprofile-generate %s -o %t.gen && env LLVM_PROFILE_FILE=%t.dir/plain.raw %t.gen | diff %t.expected -
// RUN: %llvm-profdata merge %t.dir/plain.raw -o %t.dir/plain.prof
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-position=late -mllvm -tessera-force -mllvm -tessera-only=product -fprofile-use=%t.dir/plain.prof -Werror -Wprofile-instr-out-of-date \
// RUN:   -Wprofile-instr-unprofiled -Wbackend-plugin %s -o %t -gline-tables-only -Rpass=tessera -mllvm -tessera-verify -mllvm -pgo-warn-missing-function 2>&1 | %FileCheck %s
// RUN: %t | diff %t.expected -

// CHECK-NOT: warning
// CHECK: remark: {{.*}}loop nest transformed
// CHECK-NOT: {{warning|error}}

#include <stdio.h>

#define N 90

__attribute__((noinline)) void product(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static double a[N * N], b[N * N], c[N * N];

int main(void)
{
  for (int i = 0; i < N * N; i++) {
    a[i] = i % 17 * 0.37;
    b[i] = i % 23 * 0.11;
  }
  for (int n = 0; n <= N; n += 30)
    product(n, c, a, b);
  for (int i = 0; i < N * N; i += 7)
    printf("%a\n", c[i]);
}
