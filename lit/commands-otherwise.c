// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// otherwise: what runs where there are no threads, or too little work for them; nothing behind it: the original.
//
// REQUIRES: gomp
// RUN: rm -rf %t && %split-file %s %t && %clang -O2 %t/a.c -o %t/plain && %t/plain > %t/expected
// DEFINE: %{commands} = legal
// DEFINE: %{compile} = %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-parallel -mllvm -tessera-commands=%t/%{commands} %t/a.c
// RUN: %{compile} -o %t/a -lgomp -mllvm -tessera-print=ast 2> %t/ast
// RUN: %FileCheck %s --check-prefix=AST --input-file=%t/ast
// RUN: env OMP_NUM_THREADS=1 %t/a | diff %t/expected -
// RUN: env OMP_NUM_THREADS=3 %t/a | diff %t/expected -
// RUN: %{compile} -c -o %t/a.o -mllvm -tessera-only=product -mllvm -tessera-print=commands 2> %t/again && diff %t/legal %t/again
// REDEFINE: %{commands} = original
// RUN: %{compile} -S -emit-llvm -o - | %FileCheck %s --check-prefix=ORIGINAL
// RUN: %{compile} -o %t/a -lgomp && env OMP_NUM_THREADS=3 %t/a | diff %t/expected -
// REDEFINE: %{commands} = none
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=NONE
// REDEFINE: %{commands} = twice
// RUN: %not %{compile} -o %t/a 2>&1 | %FileCheck %s --check-prefix=TWICE

// AST-LABEL: tessera: product.0
// AST-NEXT:  // parallel
// AST-NEXT:  for (int c0 = 0; c0 < n; c0 += 1)
// AST-NEXT:    for (int c1 = 0; c1 < m; c1 += 1)
// AST:       for (int c0 = 0; c0 < m; c0 += 1)
// AST-NEXT:    for (int c1 = 0; c1 < n; c1 += 1)
// AST-NEXT:      S0(c1, c0);

// ORIGINAL-LABEL: define {{.*}}@product(
// ORIGINAL:         call {{.*}}@omp_get_max_threads
// ORIGINAL-NOT:     tsr.alone
// ORIGINAL:         call {{.*}}@GOMP_parallel

// NONE: none:3:3: otherwise: there are no loops for threads, or for a GPU, in front of it
// TWICE: twice:4:3: otherwise: there is one already

//--- legal
product.0:
  S0.parallelize(i)
  otherwise
  S0.interchange(i, j)
  only
//--- original
product:
  B.parallelize(i)
  otherwise
//--- none
product:
  B.interchange(i, j)
  otherwise
//--- twice
product:
  B.parallelize(i)
  otherwise
  otherwise
//--- a.c
#include <stdio.h>
#define N 530
double A[N][N], B[N][N];
__attribute__((noinline)) void product(int n, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      B[i][j] = A[j][i] * 3 + 1;
}

int main(void)
{
  static const int size[] = {0, 1, 2, 7, 31, 32, 33, 500, 530};
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = i * 5 % 7 - j;
  for (int s = 0; s < (int)(sizeof(size) / sizeof(*size)); s++) {
    double sum = 0;
    product(size[s], size[8 - s]);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        sum += B[i][j] * (i - 2 * j);
    printf("%d %a\n", size[s], sum);
  }
}
