// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks that share what they read, of products, of which operands are transposed, or begin elsewhere, of updates of triangles, and
// of what is set, added to, and scaled; and sums of different lengths, which don't share: the output is what plain clang's program
// prints, at sizes around those of tiles, in both orders of threads, whose loads, barriers and memory are looked at.
// REQUIRES: ptx
// UNSUPPORTED: asan
//
// DEFINE: %{sizes} = 1 2 3 63 64 65 130 452
// DEFINE: %{gpu} = -fpass-plugin=%plugin -mllvm -tessera-gpu -mllvm -tessera-force "-mllvm" "-tessera-only=^[a-z]*_[a-z]*$"
// RUN: %clang -O2 -DT=float %s -o %t.plain && %t.plain %{sizes} > %t.want
// RUN: %clang -O2 -DT=float %{gpu} %s -S -emit-llvm -o - | grep '^@tsr.ptx' | sed 's/\\0A/\n/g' | grep -c '\.shared .align' | %FileCheck %s
// RUN: %clang -O2 -DT=float %{gpu} %s %runtime -o %t
// RUN: env LD_LIBRARY_PATH=%interpreter %t %{sizes} > %t.out 2> %t.err && cmp %t.out %t.want && %count 0 < %t.err
// RUN: env LD_LIBRARY_PATH=%interpreter TSR_PTX_ORDER=random %t 63 65 > %t.out 2> %t.err && %t.plain 63 65 > %t.want && cmp %t.out %t.want && %count 0 < %t.err
// RUN: %clang -O2 -DT=double %s -o %t.plain && %t.plain %{sizes} > %t.want
// RUN: %clang -O2 -DT=double %{gpu} %s %runtime -o %t
// RUN: env LD_LIBRARY_PATH=%interpreter %t %{sizes} > %t.out 2> %t.err && cmp %t.out %t.want && %count 0 < %t.err

// CHECK: {{^12$}}
#include <stdio.h>
#include <stdlib.h>

typedef T *restrict row;
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define NOINLINE __attribute__((noinline))

NOINLINE void product_nn(int n, int m, int l, T C[restrict][m], T A[restrict][l], T B[restrict][m])
{
  FOR(i, n) FOR(j, m) FOR(k, l) C[i][j] += A[i][k] * B[k][j];
}

NOINLINE void product_tn(int n, int m, int l, T C[restrict][m], T A[restrict][n], T B[restrict][m])
{
  FOR(i, n) FOR(j, m) FOR(k, l) C[i][j] += A[k][i] * B[k][j];
}

NOINLINE void product_nt(int n, int m, int l, T C[restrict][m], T A[restrict][l], T B[restrict][l])
{
  FOR(i, n) FOR(j, m) FOR(k, l) C[i][j] += A[i][k] * B[j][k];
}

NOINLINE void product_inner(int n, int m, int l, T C[restrict][m], T A[restrict][l], T B[restrict][m])
{
  for (int i = 1; i < n; i++)
    for (int j = 2; j < m; j++)
      for (int k = 1; k < l; k++)
        C[i][j - 1] += A[i - 1][k] * B[k][j];
}

NOINLINE void rank_update(int n, int l, T C[restrict][n], T A[restrict][l])
{
  FOR(i, n) FOR(j, i + 1) FOR(k, l) C[i][j] += A[i][k] * A[j][k];
}

NOINLINE void product_triangle(int n, int m, T C[restrict][m], T A[restrict][n], T B[restrict][m])
{
  FOR(i, n) FOR(j, m) FOR(k, i + 1) C[i][j] += A[i][k] * B[k][j];
}

NOINLINE void product_twice(int n, int m, int l, T C[restrict][m], T A[restrict][l], T B[restrict][m])
{
  FOR(i, n) FOR(j, m)
  {
    C[i][j] = 0;
    FOR(k, l) C[i][j] += A[i][k] * B[k][j];
    C[i][j] *= 3;
  }
}

static T *make(int n)
{
  T *x = malloc((size_t)n * sizeof(*x));
  FOR(i, n) x[i] = (T)((i * 37 + n) % 101) / 7;
  return x;
}

static void print(const char *name, int n, T *x)
{
  double sum = 0;
  FOR(i, n) sum += x[i] * (i % 19 + 1);
  printf("%s %.17g\n", name, sum);
}

int main(int argc, char **argv)
{
  for (int a = 1; a < argc; a++) {
    int n = atoi(argv[a]), m = n % 7 ? n + n % 3 : n - 1, l = n % 5 ? 17 : n / 4 + 1;
    int most = n > m ? n : m;
    most = most > l ? most : l;
    most *= most;
    T *A = make(most + 1), *B = make(most + 2), *C = make(most + 3);
#define SHOW(CALL) CALL, print(#CALL, n * m, C)
    SHOW(rank_update(n, l, (void *)C, (void *)A));
    if (n > 200) /* there are many blocks of the triangle */
      continue;
    SHOW(product_nn(n, m, l, (void *)C, (void *)A, (void *)B));
    SHOW(product_tn(n, m, l, (void *)C, (void *)A, (void *)B));
    SHOW(product_nt(n, m, l, (void *)C, (void *)A, (void *)B));
    SHOW(product_inner(n, m, l, (void *)C, (void *)A, (void *)B));
    SHOW(product_triangle(n, m, (void *)C, (void *)A, (void *)B));
    SHOW(product_twice(n, m, l, (void *)C, (void *)A, (void *)B));
    free(A);
    free(B);
    free(C);
  }
}
