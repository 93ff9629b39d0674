// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost model takes the machine of the function's target, or what the option names: a row of the table or a file that
// changes some numbers of the target's. A file that is wrong is one error, with its place.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %clang -O2 -march=znver5 -fpass-plugin=%plugin -mllvm -tessera-dump=%t -c %s -o %t.o
// RUN: %tessera --print=machine %t/product.0.scop | %FileCheck %s --check-prefix=TARGET
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-dump=%t -c %s -o %t.plain.o
// RUN: grep '^machine: "x86-64"' %t/product.0.scop
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-dump=%t -mllvm -tessera-machine=znver5 -c %s -o %t.o
// RUN: %tessera --print=machine %t/product.0.scop | %FileCheck %s --check-prefix=TARGET
// RUN: echo 'caches: [{size: 1024}, {size: 2048}]' > small.yaml
// RUN: %remarks %s | grep CostBefore > %t/usual
// RUN: %remarks -mllvm -tessera-machine=small.yaml %s | grep CostBefore > %t/small
// RUN: env TESSERA_OPTIONS=machine=small.yaml %remarks %s | grep CostBefore > %t/small.again
// RUN: %not diff %t/usual %t/small && diff %t/small %t/small.again
// RUN: echo 'caches: [{size: 1024}, {seize: 2048}]' > wrong.yaml
// RUN: %not %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-machine=wrong.yaml -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %not %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-machine=none.yaml -c %s -o %t.o 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=NONE

// TARGET: machine: znver5
// TARGET: size: 49152
// CHECK-COUNT-1: error: tessera: wrong.yaml:1:25: unknown key 'seize' in a cache; expected size, ways, line, latency
// CHECK-NOT: tessera
// NONE: error: tessera: option 'machine': none.yaml: {{.*}}; expected a YAML file or one of generic, x86-64-v3,
// NONE-NOT: tessera

void product(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
