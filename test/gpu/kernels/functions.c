/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libdevice's functions, linked in as clang does for CUDA: FUNCTION(NAME) a kernel of a double and a float array each. */
#include "gpu.h"

#define DECLARE(NAME)                                                                                                       \
  double __nv_##NAME(double);                                                                                               \
  float __nv_##NAME##f(float);
#define FUNCTION(NAME)                                                                                                      \
  DECLARE(NAME)                                                                                                             \
  KERNEL void of_##NAME(double *a, float *b, int n)                                                                         \
  {                                                                                                                         \
    int i = X;                                                                                                              \
    if (i < n) {                                                                                                            \
      a[i] = __nv_##NAME(a[i]);                                                                                             \
      b[i] = __nv_##NAME##f(b[i]);                                                                                          \
    }                                                                                                                       \
  }
FUNCTION(exp)
FUNCTION(log)
FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tan)
FUNCTION(tanh)
FUNCTION(exp2)
FUNCTION(log2)
FUNCTION(log10)
FUNCTION(cbrt)
FUNCTION(erf)
FUNCTION(atan)
FUNCTION(expm1)
FUNCTION(log1p)

double __nv_pow(double, double);
float __nv_powf(float, float);
double __nv_fmod(double, double);
float __nv_fmodf(float, float);

KERNEL void of_pow(double *a, float *b, int n)
{
  int i = X;
  if (i < n) {
    a[i] = __nv_pow(a[i], 1.7);
    b[i] = __nv_powf(b[i], 1.7f);
  }
}

KERNEL void of_fmod(double *a, float *b, int n)
{
  int i = X;
  if (i < n) {
    a[i] = __nv_fmod(a[i], 0.37);
    b[i] = __nv_fmodf(b[i], 0.37f);
  }
}
