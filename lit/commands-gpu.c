// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gpu(i, j): these loops are blocks and threads of a kernel; what is in none is a kernel of one thread, or a loop of the host's;
// `otherwise` is for machines without a GPU. Illegal kernels are refused with the reason.
//
// RUN: rm -rf %t && %split-file %s %t
// DEFINE: %{commands} = legal
// DEFINE: %{gpu} = -mllvm -tessera-gpu
// DEFINE: %{compile} = %clang -O2 -g -fpass-plugin=%plugin %{gpu} -mllvm -tessera-commands=%t/%{commands} -S -emit-llvm %t/a.c -o %t/a.ll
// RUN: %{compile} -mllvm -tessera-print=tree 2> %t/tree
// RUN: %FileCheck %s --check-prefix=TREE --input-file=%t/tree
// RUN: %FileCheck %s --input-file=%t/a.ll
// REDEFINE: %{commands} = chain
// RUN: %not %{compile} 2>&1 | %FileCheck %s --check-prefix=CHAIN
// REDEFINE: %{commands} = apart
// RUN: %not %{compile} 2>&1 | %FileCheck %s --check-prefix=APART
// REDEFINE: %{commands} = twice
// RUN: %not %{compile} 2>&1 | %FileCheck %s --check-prefix=TWICE
// REDEFINE: %{commands} = many
// RUN: %not %{compile} 2>&1 | %FileCheck %s --check-prefix=MANY
// REDEFINE: %{commands} = holes
// RUN: %not %{compile} 2>&1 | %FileCheck %s --check-prefix=HOLES
// REDEFINE: %{commands} = legal
// REDEFINE: %{gpu} =
// RUN: %not %{compile} 2>&1 | %FileCheck %s --check-prefix=FORBIDDEN

// The steps in time are the host's.
// TREE-LABEL: tessera: heat
// TREE: # on a GPU
// TREE: sequence:
// TREE: mark: "kernel 2"
// TREE: mark: "kernel 1"
// CHECK-LABEL: define {{.*}}@heat
// CHECK-COUNT-2: call void @tsr_rt_launch
// CHECK: call i32 @tsr_rt_end

// CHAIN: chain:2:3: S0.gpu: not legal: threads of a kernel depend on each other
// APART: apart:2:3: S0.gpu: a kernel is of loops directly one inside of the other, named from the outermost in
// TWICE: twice:3:3: S0.gpu: not legal: a kernel inside of a parallel loop or of another kernel
// MANY: many:2:3: S0.gpu: too many loops: expected at most 3
// HOLES: {{.*}}is written with holes in its rows, and all between them must stay as it is
// FORBIDDEN: legal:2:3: S0.gpu: a GPU isn't allowed here; give -tessera-gpu and link with -ltessera_rt

//--- legal
heat:
  S0.gpu(i, j)
  S1.gpu(i)
  otherwise
  S1.vectorize(j)
//--- chain
chain:
  S0.gpu(i)
//--- apart
four:
  S0.gpu(b, a)
//--- twice
four:
  S0.gpu(a)
  S0.gpu(b)
//--- many
four:
  S0.gpu(a, b, c, d)
//--- holes
comb:
  S0.gpu(i)
//--- a.c
void heat(int steps, int n, double A[restrict n][n], double B[restrict n][n])
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        B[i][j] = 0.25 * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = B[i][j];
  }
}

void four(int n, float A[restrict n][n][n][n])
{
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++)
      for (int c = 0; c < n; c++)
        for (int d = 0; d < n; d++)
          A[a][b][c][d] *= 2;
}

void chain(int n, double *restrict x)
{
  for (int i = 1; i < n; i++)
    x[i] = x[i] * 0.5 + x[i - 1];
}

void comb(int n, double *restrict x, const double *restrict y)
{
  for (int i = 0; i < n; i++)
    if (i % 3 != 1)
      x[i] = y[i];
}
