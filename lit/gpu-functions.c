// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions and types for which NVPTX has no code, where some of LLVM's end the compiler: each has a remark, and the CPU's code.
//
// RUN: %remarks -fno-math-errno -mllvm -tessera-gpu -mllvm -tessera-force %s | grep -c '^Name: *NoGPU' | grep -x 15
// RUN: %remarks -fno-math-errno -mllvm -tessera-gpu -mllvm -tessera-force %s | %FileCheck %s
// RUN: %clang -O2 -fno-math-errno -fpass-plugin=%plugin -mllvm -tessera-gpu -mllvm -tessera-force -c %s -o %t.gpu.o
// RUN: %clang -O2 -fno-math-errno -fpass-plugin=%plugin -mllvm -tessera-force -c %s -o %t.cpu.o && cmp %t.gpu.o %t.cpu.o

// CHECK: Function: of_exp
// CHECK: calls a function of which a GPU has no exact version
// CHECK: Function: of_extended
// CHECK: of a type that isn{{'+}}t modelled
// CHECK: Function: of_quad
// CHECK: of a type that isn{{'+}}t made for GPUs
#define NEST(NAME, TYPE, VALUE)                                                                                                \
  void of_##NAME(int n, TYPE *restrict x, const TYPE *restrict y)                                                              \
  {                                                                                                                            \
    for (int i = 0; i < n; i++)                                                                                                \
      x[i] = VALUE;                                                                                                            \
  }
NEST(exp, double, __builtin_exp(y[i]))
NEST(exp2, double, __builtin_exp2(y[i]))
NEST(exp10, double, __builtin_exp10(y[i]))
NEST(log, double, __builtin_log(y[i]))
NEST(log2, double, __builtin_log2(y[i]))
NEST(log10, double, __builtin_log10(y[i]))
NEST(sin, double, __builtin_sin(y[i]))
NEST(cos, double, __builtin_cos(y[i]))
NEST(tan, double, __builtin_tan(y[i]))
NEST(tanh, double, __builtin_tanh(y[i]))
NEST(pow, double, __builtin_pow(y[i], 1.5 + i))
NEST(powi, double, __builtin_powi(y[i], i))
NEST(sinf, float, __builtin_sinf(y[i]))
NEST(powf, float, __builtin_powf(y[i], 1.5f + i))
NEST(extended, long double, y[i] * 3 + i)
NEST(quad, __float128, y[i] * 3 + i)
