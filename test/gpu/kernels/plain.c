/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels without barriers: check_kernels.c includes this file as the host's version. */
#include "gpu.h"

__extension__ typedef __int128 int128;
__extension__ typedef _Float16 half;

/* The bits of X the other way round */
static unsigned reversed(unsigned x)
{
#ifdef __clang__
  return __builtin_bitreverse32(x);
#else
  unsigned r = 0;
  for (int k = 0; k < 32; k++)
    r |= (x >> k & 1) << (31 - k);
  return r;
#endif
}

CONSTANT const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};

KERNEL void integers(int *a, const int *b, unsigned *c, int n)
{
  int i = X;
  if (i >= n)
    return;
  int x = b[i], y = b[(i * 7 + 3) % n];
  a[i] = (x / (y | 1)) + (x % 13) * primes[i & 7] - (x >> 3) + (int)((unsigned)y << (x & 31));
  c[i] = (unsigned)x / ((unsigned)y | 1) ^ (unsigned)__builtin_popcount((unsigned)x) ^ reversed((unsigned)y);
}

KERNEL void longs(long *a, const long *b, unsigned char *c, short *d, int n)
{
  int i = X;
  if (i >= n)
    return;
  long x = b[i], y = b[(i + 1) % n];
  a[i] = x * y + x / (y | 1) - (long)((unsigned long)x % ((unsigned long)y | 1)) + (long)(((int128)x * y) >> 64);
  c[i] = (unsigned char)(c[i] * 3 + x);
  d[i] = (short)(d[i] / ((short)y | 1) + (short)(x >> 7));
}

KERNEL void floats(float *a, const float *b, const float *c, int n)
{
  int i = X;
  if (i >= n)
    return;
  float x = b[i], y = c[i];
  float m = x < y ? x : y;
  a[i] = x * y + x / y - __builtin_sqrtf(__builtin_fabsf(m)) + __builtin_floorf(x) + (float)(int)(y * 3) + (float)i;
}

KERNEL void doubles(double *a, const double *b, const float *c, int n)
{
  int i = X;
  if (i >= n)
    return;
  double x = b[i], y = c[i];
  a[i] = __builtin_fma(x, y, x / (y + 3)) + __builtin_sqrt(x * x + y * y) + __builtin_trunc(x) + (double)(long)(x * 1e6);
  a[i] = a[i] > 1e3 ? __builtin_copysign(a[i], y) : a[i] - (float)x;
}

KERNEL void stencil(float *a, const float *b, int n, int m)
{
  int i = Y + 1, j = X + 1;
  if (i < n - 1 && j < m - 1)
    a[i * m + j] = 0.2f * (b[i * m + j] + b[i * m + j - 1] + b[i * m + j + 1] + b[(i - 1) * m + j] + b[(i + 1) * m + j]);
}

/* Threads of a warp part: the inner loop's length is the row's number. */
KERNEL void triangle(double *a, const double *l, int n)
{
  int i = X;
  if (i >= n)
    return;
  double sum = 0;
  for (int j = 0; j <= i; j++)
    sum += l[i * n + j] * (j % 3 ? l[j * n + i] : 2.0);
  a[i] = sum;
}

KERNEL void collatz(int *steps, int n)
{
  int i = X;
  if (i >= n)
    return;
  unsigned x = (unsigned)i + 1;
  int k = 0;
  while (x != 1) {
    if (x & 1)
      x = 3 * x + 1;
    else
      x /= 2;
    k++;
  }
  steps[i] = k;
}

KERNEL void choice(int *a, int n)
{
  int i = X;
  if (i >= n)
    return;
  switch (a[i] % 7) {
  case 0:
    a[i] = a[i] * 3;
    break;
  case 1:
    a[i] = 100 - a[i];
    break;
  case 2:
    a[i] ^= 0x55;
    break;
  case 3:
    a[i] /= 3;
    break;
  case 4:
    a[i] = -a[i];
    break;
  case 5:
    a[i] += 1000;
    break;
  case 6:
    a[i] <<= 2;
    break;
  }
}

struct pair {
  int n;
  double factor;
  int add[5];
};

static __attribute__((noinline)) struct pair changed(struct pair p, int k)
{
  p.add[k] += 7;
  p.factor *= 2;
  return p;
}

/* Calls, structs by value, local memory */
KERNEL void calls(double *a, struct pair p)
{
  int i = X;
  int histogram[8] = {0};
  if (i >= p.n)
    return;
  for (int k = 0; k < 20; k++)
    histogram[(i * k + k) & 7]++;
  struct pair q = changed(p, i % 5);
  a[i] = q.factor * i + q.add[0] + 2 * q.add[i % 5] + histogram[i & 7];
}

typedef float float4 __attribute__((vector_size(16)));

KERNEL void vectors(float4 *a, const float4 *b, int n)
{
  int i = X;
  if (i < n)
    a[i] = a[i] * b[i] + b[(i + 1) % n];
}

KERNEL void halves(half *a, const half *b, float *c, int n)
{
  int i = X;
  if (i >= n)
    return;
  c[i] = (float)b[i] * 1.5f;
  a[i] = (half)((float)b[i] * c[i]);
}
