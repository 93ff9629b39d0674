// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parallel part of a function that handles exceptions has no personality of its own.
//
// REQUIRES: gomp
// RUN: %clangxx -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -mllvm -tessera-only=test_ \
// RUN:   -S -emit-llvm -o - %s | %FileCheck %s

// CHECK: define {{.*}} personality ptr @__gxx_personality_v0 {
// CHECK: define internal {{.*}}tsr.team(
// CHECK-NOT: personality
// CHECK-SAME: {{{$}}

#include <vector>

double test_local(int n, void (*use)(double *))
{
  std::vector<double> v(n * n), w(n * n);
  use(w.data());
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      v[j * n + i] = w[i * n + j] * i;
  use(v.data());
  return v[3];
}
