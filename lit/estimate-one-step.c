// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields of one structure are one array, of which a linear order leaves the innermost loop one step: no vectors are made of it.
// Chains were passed over for it, which took 1.7 times as long as clang's code where it ran. Short rows keep that order.
//
// RUN: %clang -O3 -march=znver4 -fpass-plugin=%plugin -Rpass=tessera -Rpass-analysis=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// CHECK: (taken) {{scheduled|original order}}, chains interleaved
// CHECK: (taken) {{scheduled|original order}}, chains interleaved

struct {
  float a[32000];
  int gap[3];
  float aa[256][256], bb[4096][12];
} g;

void wavefront(void)
{
  for (int j = 1; j < 256; j++)
    for (int i = 1; i < 256; i++)
      g.aa[j][i] = g.aa[j][i - 1] + g.aa[j - 1][i];
}

void narrow(void)
{
  for (int j = 1; j < 4096; j++)
    for (int i = 1; i < 12; i++)
      g.bb[j][i] = g.bb[j][i - 1] + g.bb[j - 1][i];
}
