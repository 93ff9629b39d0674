// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A nest that stays as it is, in a function with one that changes, becomes the vector loop that it would have been: its
// counters, which are simplified early, don't become ones of which LLVM can't tell that they don't wrap.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O3 -g1 -march=x86-64-v3 -c %s -o %t/plain.o -Rpass=loop-vectorize 2>&1 | %FileCheck %s --check-prefix=PLAIN
// RUN: %clang -O3 -g1 -march=x86-64-v3 -fpass-plugin=%plugin -c %s -o %t/ours.o '-Rpass=loop-vectorize|tessera' 2>&1 | %FileCheck %s

#define N 1000
double A[N][N], B[N][N], C[N][N];
int is_wanted(int k);

// PLAIN: [[@LINE+9]]:{{[0-9]+}}: remark: vectorized loop
// CHECK-DAG: [[@LINE+8]]:{{[0-9]+}}: remark: vectorized loop
// CHECK-DAG: [[@LINE+12]]:{{[0-9]+}}: remark: loop nest transformed
/* As Fortran's DO I = K + 1, M: an int that is counted along with how many iterations are left. */
void beside(int m, double *restrict b, const double *restrict a)
{
  for (int left = m, k = 1; left > 0; left--, k++)
    if (is_wanted(k)) {
      int i = k + 1;
      for (long rest = (long)m - i + 1; rest > 0; rest--) {
        b[i - 1L] -= b[k - 1L] * a[(k - 1L) * N + i - 1L];
        i++;
      }
    }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
}
