// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where memory is waited for, a loop that is split at the element that all iterations read costs as much as the whole one, but
// for its ends, and takes less to issue: it is chosen, as data may be at hand. An odd number of columns is a typical one where a
// statement asks for it, not the least that there is.
//
// RUN: %clang -O3 -march=znver4 -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera -Rpass-analysis=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// CHECK: (taken) scheduled, tiled, index sets split
// CHECK: loop nest transformed
// CHECK-NOT: too few iterations
// CHECK: the estimated cost is not lower

void middle(double *restrict a, const double *restrict b)
{
  for (int i = 0; i < 32000; i++)
    a[i] = a[16000] + b[i];
}

void odd(double *restrict z, const double *restrict a, const double *restrict x, int n, int m)
{
  for (int r = 0; r < n; r++) {
    double s = 0, t = 0;
    int i;
    for (i = 0; i < m - 1; i += 2) {
      s += a[r * m + i] * x[i];
      t += a[r * m + i + 1] * x[i + 1];
    }
    if (i < m)
      s += a[r * m + i] * x[i];
    z[r] = s + t;
  }
}
