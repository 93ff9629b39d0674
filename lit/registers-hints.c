// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that the user wants neither vectorised nor unrolled have no register tiles.
//
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-machine=znver4 -mllvm -tessera-force -mllvm -tessera-print=ast \
// RUN:   -c %s -o /dev/null 2>&1 | %FileCheck %s
// RUN: %source-ir %s | %tessera-opt -passes='tessera<force;machine=znver4>,verify' | %FileCheck %s --check-prefix=IR
// RUN: sed -e '/^#pragma/d' %s > %t.c
// RUN: %source-ir %t.c | %tessera-opt -passes='tessera<force;machine=znver4>,verify' | %FileCheck %s --check-prefix=WITHOUT

// CHECK: tessera: novector.0
// CHECK-NOT: registers
// CHECK: tessera: nounroll.0
// CHECK-NOT: registers
// CHECK: tessera: outer.0
// CHECK-NOT: registers
// IR: tsr.new
// IR-NOT: tsr.held
// WITHOUT-COUNT-3: tsr.new
// WITHOUT: tsr.held

void novector(int n, double (*restrict c)[1000], double (*restrict a)[1000], double (*restrict b)[1000])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
#pragma clang loop vectorize(disable)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

void nounroll(int n, double (*restrict c)[1000], double (*restrict a)[1000], double (*restrict b)[1000])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
#pragma clang loop unroll(disable)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

void outer(int n, double (*restrict c)[1000], double (*restrict a)[1000], double (*restrict b)[1000])
{
#pragma clang loop vectorize(disable)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}
