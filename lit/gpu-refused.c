// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a nest can't be a kernel, a remark says why, and the CPU's code is as without the option.
//
// RUN: %remarks -mllvm -tessera-gpu -mllvm -tessera-force -ffp-contract=off %s | %FileCheck %s
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-gpu -mllvm -tessera-force -c %s -o %t.gpu.o
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -c %s -o %t.cpu.o && cmp %t.gpu.o %t.cpu.o

// A chain through all iterations.
// CHECK-LABEL: Name: NoGPU
// CHECK: Function: chain
// CHECK: no loops that do most of the work have iterations that may run at once
void chain(int n, double *restrict x)
{
  for (int i = 1; i < n; i++)
    x[i] = x[i] * 0.5 + x[i - 1];
}

// A library's exp isn't a GPU's; nor is its errno.
// CHECK-LABEL: Name: NoGPU
// CHECK: Function: growth
// CHECK: calls a function that may set errno, of which each thread has its own: -fno-math-errno
double exp(double);
void growth(int n, double *restrict x, const double *restrict y)
{
  for (int i = 0; i < n; i++)
    x[i] = exp(y[i]);
}

// CHECK-LABEL: Name: NoGPU
// CHECK: Function: decay
// CHECK: calls a function of which a GPU has no exact version
float tanhf(float) __attribute__((const));
void decay(int n, float *restrict x, const float *restrict y)
{
  for (int i = 0; i < n; i++)
    x[i] = tanhf(y[i]);
}

// Every third element is left out: what lies between must stay as it is, whoever writes it meanwhile.
// CHECK-LABEL: Name: NoGPU
// CHECK: Function: comb
// CHECK: is written with holes in its rows, and all between them must stay as it is
void comb(int n, double *restrict x, const double *restrict y)
{
  for (int i = 0; i < n; i++)
    if (i % 3 != 1)
      x[i] = y[i];
}

// What is under a condition of the data may not be written.
// CHECK-LABEL: Name: NoGPU
// CHECK: Function: some
// CHECK: is only perhaps accessed, or in places that nobody knows
void some(int n, double *restrict x, const double *restrict y)
{
  for (int i = 0; i < n; i++)
    if (y[i] > 0)
      x[i] = y[i];
}

// Rows behind pointers.
// CHECK-LABEL: Name: NoGPU
// CHECK: Function: rows
// CHECK: loads or stores what has no place on a GPU
void rows(int n, double **restrict x)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i][j] *= 2;
}
