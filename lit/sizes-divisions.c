// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of recurrences with divisions: the original's rows don't overlap, as divisions aren't pipelined and all that a row
// does is in the way, so lanes of rows pay at a few vectors a row.
//
// RUN: %clang -O3 -march=x86-64-v3 -g -ffp-contract=off -fpass-plugin=%plugin -Rpass=tessera -c %s -o /dev/null 2>&1 \
// RUN:   | %FileCheck %s
//
// CHECK: sizes-divisions.c:[[#@LINE+5]]:3: remark: loop nest transformed: {{.*}} in lanes of {{.*}};{{.*}} where m >= 4 and n - 1 >= 32

void solve(int m, int n, const double *restrict u, double *restrict p, double *restrict q, double *restrict v, double a,
           double b)
{
  for (int i = 0; i < m; i++) {
    p[i * n] = 0;
    q[i * n] = 1;
    for (int j = 1; j < n; j++) {
      p[i * n + j] = -a / (a * p[i * n + j - 1] + b);
      q[i * n + j] = (u[(j - 1) * m + i] - a * q[i * n + j - 1]) / (a * p[i * n + j - 1] + b);
    }
    for (int j = n - 2; j >= 1; j--)
      v[j * m + i] = p[i * n + j] * v[(j + 1) * m + i] + q[i * n + j];
  }
}
