// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Twenty compilations in different folders, with other environments and addresses, give one object; the IR in front of the
// code generator, where more would show, is compared too.
//
// RUN: rm -rf %t && mkdir %t
// RUN: env OUT=%t CC="%clang -O2 -fpass-plugin=%plugin %s -mllvm -tessera-force -mllvm -tessera-parallel" \
// RUN:   bash -c 'for i in $(seq 10); do mkdir $OUT/$i; export TMPDIR=$OUT/$i PAD=$(printf %%%%0*d $((i*331)) 0); $CC -c -o $OUT/$i.o; $CC -g -S -emit-llvm -o $OUT/$i.ll; cmp $OUT/$i.o $OUT/1.o && cmp $OUT/$i.ll $OUT/1.ll || exit 1; done'

#define N 100

double a[N][N], b[N][N], c[N][N];

void stencil(int steps)
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        a[i][j] = 0.2 * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]);
  }
}

void gemm(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void solve(double *x, const double *y, int n)
{
  for (int i = 0; i < n; i++) {
    double sum = y[i];
    for (int j = 0; j < i; j++)
      sum -= c[i][j] * x[j];
    x[i] = sum / c[i][i];
  }
}
