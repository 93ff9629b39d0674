// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cache_local_at: what an iteration of a loop uses of an array is moved to a buffer, used there, and moved back; the program
// computes the same. Threads have buffers of their own. What can't be in a buffer is refused with the reason.
// RUN: rm -rf %t && %split-file %s %t
// RUN: %clang -O2 %t/all.c -DMAIN -o %t/plain
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/commands -mllvm -tessera-print=ast -DMAIN \
// RUN:   -Rpass=tessera %t/all.c -o %t/cached 2>&1 | %FileCheck %s
// CHECK-LABEL: tessera: product.0
// CHECK:      // allocate B_{{[0-9]}}_buffer
// CHECK-NEXT: {
// CHECK:        load_B_{{[0-9]}}(c0, c1, c2, c3);
// CHECK-NOT:    store_B
// CHECK:        S0(c2, 16 * c1 + c3, 8 * c0 + c4);
// CHECK-LABEL: tessera: rows.0
// CHECK:      load_A_{{[0-9]}}(c0,
// CHECK:      S0(c0,
// CHECK:      store_A_{{[0-9]}}(c0,
// CHECK:      remark: loop nest transformed: as commanded
// RUN: %t/plain > %t/plain.txt
// RUN: %t/cached > %t/cached.txt
// RUN: diff %t/plain.txt %t/cached.txt
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/threads -mllvm -tessera-parallel -DMAIN %t/all.c -lgomp \
// RUN:   -o %t/threads.exe
// RUN: env OMP_NUM_THREADS=3 %t/threads.exe > %t/threads.txt
// RUN: diff %t/plain.txt %t/threads.txt
//
// All rows of an array are in a buffer of as many as are touched, which the program knows when it runs, also where that begins
// in front of the array's first one; not where nobody knows where it begins.
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/whole -DMAIN %t/all.c -o %t/whole.exe
// RUN: %t/whole.exe > %t/whole.txt
// RUN: diff %t/plain.txt %t/whole.txt
// RUN: %not %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/either -c %t/all.c -o /dev/null 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=EITHER
// EITHER: either:2:3: B.cache_local_at: what is touched of A_{{[0-9]}} has no bounds in dimension 0
// RUN: %not %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/none -c %t/all.c -o /dev/null 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=NONE
// NONE: none:2:23: C.cache_local_at: there is no array 'Z' in memory

//--- commands
product:
  C.tile(k, j, 16, 8, k0, j0, k1, j1)
  C.interchange(i, j0)
  C.cache_local_at(k0, B)
rows:
  A.cache_local_at(i, A)
solve:
  S0.split(i, 8, i0, i1)
  S0.cache_local_at(i0, A)
//--- threads
product:
  C.interchange(k, j)
  C.tile(i, j, 4, 8, i0, j0, i1, j1)
  C.cache_local_at(j0, C)
  C.parallelize(i0)
rows:
  A.cache_local_at(i, A)
  A.parallelize(i)
//--- whole
product:
  C.tile(k, j, 16, 8, k0, j0, k1, j1)
  C.cache_local_at(i, B)
front:
  B.cache_local_at(j, A)
//--- either
either:
  B.cache_local_at(j, A)
//--- none
product:
  C.cache_local_at(k, Z)
//--- all.c
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) void product(int n, int m, int l, double C[restrict n][m], double A[restrict n][l],
                                       double B[restrict l][m]) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < l; k++)
      for (int j = 0; j < m; j++)
        C[i][j] += A[i][k] * B[k][j];
}

__attribute__((noinline)) void rows(int n, int m, float A[n][m]) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      for (int j = 1; j < m; j++)
        A[i][j] = A[i][j] * 0.5f + A[i][j - 1];
}

/* The sum lives in its element; what is left of the last store is nothing. */
__attribute__((noinline)) void solve(int n, int m, float A[restrict n][m], float B[restrict m][m]) {
  for (int i = 0; i < n; i++)
    for (int j = m - 1; j >= 0; j--) {
      float sum = 0.5f * A[i][j];
      for (int k = j + 1; k < m; k++)
        sum -= B[j][k] * A[i][k];
      A[i][j] = sum;
    }
}

__attribute__((noinline)) void front(int n, int m, float *restrict B, float *restrict A) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      B[i] += A[j - i];
}
void either(int n, int m, int p, int q, float *restrict B, float *restrict A) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      B[i] += A[p - i] * A[q - i];
}
#ifdef MAIN
static unsigned hash(const void *data, size_t bytes) {
  unsigned h = 1;
  for (size_t i = 0; i < bytes; i++)
    h = h * 31 + ((const unsigned char *)data)[i];
  return h;
}

int main(void) {
  static const int sizes[][3] = {{0, 3, 4}, {1, 1, 1}, {3, 0, 2}, {5, 7, 0}, {7, 8, 16}, {9, 9, 17}, {16, 7, 15}, {33, 31, 35}};
  for (int s = 0; s < 8; s++) {
    int n = sizes[s][0], m = sizes[s][1], l = sizes[s][2];
    double *C = malloc((n * m + 1) * sizeof(*C)), *A = malloc((n * l + 1) * sizeof(*A)), *B = malloc((l * m + 1) * sizeof(*B));
    float *R = malloc((n * m + 1) * sizeof(*R)), *Q = malloc((m * m + 1) * sizeof(*Q));
    for (int i = 0; i < n * m; i++)
      C[i] = i % 7, R[i] = i % 11 / 3.0f;
    for (int i = 0; i < n * l; i++)
      A[i] = i % 5 / 3.0;
    for (int i = 0; i < l * m; i++)
      B[i] = i % 9 / 7.0;
    for (int i = 0; i < m * m; i++)
      Q[i] = i % 13 / 40.0f;
    product(n, m, l, (void *)C, (void *)A, (void *)B);
    rows(n, m, (void *)R);
    printf("%d %d %d %u %u\n", n, m, l, hash(C, n * m * sizeof(*C)), hash(R, n * m * sizeof(*R)));
    solve(n, m, (void *)R, (void *)Q);
    printf("%u\n", hash(R, n * m * sizeof(*R)));
    if (n && m && n <= m * m)
      front(n < m ? n : m, m, R, Q + n);
    printf("%u\n", hash(R, n * m * sizeof(*R)));
  }
}
#endif
