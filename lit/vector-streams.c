// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that wait for memory, into which they store, have vectors of 32 bytes on processors of Intel's, as LLVM would choose:
// those of 64 that don't begin at a line are in two. What is computed from caches has long ones, and what is read from memory
// alone. A user's wish is obeyed, and processors on which LLVM makes long ones by itself aren't told anything else.
//
// RUN: %clang -O3 -march=sapphirerapids -fpass-plugin=%plugin -S %s -o - | %FileCheck %s
// RUN: %clang -O3 -march=sapphirerapids -fpass-plugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=IR
// RUN: %clang -O3 -march=sapphirerapids -mprefer-vector-width=512 -fpass-plugin=%plugin -S %s -o - | %FileCheck %s --check-prefix=ASKED
// RUN: %clang -O3 -march=znver5 -fpass-plugin=%plugin -S %s -o - | %FileCheck %s --check-prefix=ASKED
//
// CHECK-LABEL: {{^}}stages.tsr.large:
// CHECK-NOT:   %zmm
// CHECK-LABEL: {{^}}columns.tsr.large:
// CHECK:       %zmm
// CHECK-LABEL: {{^}}product.tsr.large:
// CHECK:       %zmm
// IR: define {{.*}}@stages.tsr.large({{.*}} #[[STREAMS:[0-9]+]] {
// IR: define {{.*}}@product.tsr.large({{.*}} #[[LONG:[0-9]+]] {
// IR-NOT: attributes #[[STREAMS]] = {{.*}}"prefer-vector-width"
// IR: attributes #[[LONG]] = {{.*}}"prefer-vector-width"="512"
// ASKED-LABEL: {{^}}stages.tsr.large:
// ASKED:       %zmm
// ASKED-LABEL: {{^}}product.tsr.large:

void stages(int h, int w, float in[restrict h][w], float a[restrict h][w], float b[restrict h][w], float c[restrict h][w])
{
  for (int i = 0; i < h; i++)
    for (int j = 2; j < w - 2; j++)
      a[i][j] = in[i][j - 2] + in[i][j + 2];
  for (int i = 0; i < h; i++)
    for (int j = 2; j < w - 2; j++)
      b[i][j] = in[i][j] * 4 - a[i][j];
  for (int i = 0; i < h; i++)
    for (int j = 2; j < w - 2; j++)
      c[i][j] = b[i][j] * in[i][j] + a[i][j];
}

void columns(int m, int n, double s[restrict n], double q[restrict m], double a[restrict m][n], double r[restrict m], double p[restrict n])
{
  for (int j = 0; j < n; j++)
    s[j] = 0;
  for (int i = 0; i < m; i++) {
    q[i] = 0;
    for (int j = 0; j < n; j++) {
      s[j] += r[i] * a[i][j];
      q[i] += a[i][j] * p[j];
    }
  }
}

void product(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] = __builtin_fma(a[i * n + k], b[k * n + j], c[i * n + j]);
}
