/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels whose threads work together. */
#include "gpu.h"

#ifndef SIDE
#define SIDE 33
#endif

SHARED float tile[32][SIDE];
SHARED float sums[256];
SHARED float ta[2][8][8], tb[2][8][8];
extern SHARED double dynamic[];

/* n a multiple of 32; 32 x 8 threads */
KERNEL void transpose_naive(float *to, const float *from, int n)
{
  for (int k = 0; k < 32; k += 8)
    to[(BX * 32 + TX) * n + BY * 32 + TY + k] = from[(BY * 32 + TY + k) * n + BX * 32 + TX];
}

KERNEL void transpose_tiled(float *to, const float *from, int n)
{
  for (int k = 0; k < 32; k += 8)
    tile[TY + k][TX] = from[(BY * 32 + TY + k) * n + BX * 32 + TX];
#ifndef WITHOUT_BARRIER
  BARRIER();
#endif
  for (int k = 0; k < 32; k += 8)
    to[(BX * 32 + TY + k) * n + BY * 32 + TX] = tile[TX][TY + k];
}

/* 256 threads a block, a sum for each */
KERNEL void reduce(float *to, const float *from, int n)
{
  int i = X;
  sums[TX] = i < n ? from[i] : 0;
  BARRIER();
  for (int half = 128; half; half /= 2) {
    if (TX < half)
      sums[TX] += sums[TX + half];
#ifndef WITHOUT_BARRIER
    BARRIER();
#endif
  }
  if (!TX)
    to[BX] = sums[0];
}

/* The last steps within one warp, by shuffles */
KERNEL void reduce_warp(int *to, const int *from, int n)
{
  int i = X, sum = i < n ? from[i] : 0;
  for (int k = 16; k; k /= 2)
    sum += __nvvm_shfl_sync_down_i32(-1, sum, k, 31);
  if (!(TX & 31))
    __atomic_fetch_add(to, sum, __ATOMIC_RELAXED);
}

/* C = A B, two buffers of 8 x 8 */
KERNEL void gemm(float *c, const float *a, const float *b, int n)
{
  int i = Y, j = X, at = 0;
  float sum = 0;
  ta[0][TY][TX] = i < n && TX < n ? a[i * n + TX] : 0;
  tb[0][TY][TX] = TY < n && j < n ? b[TY * n + j] : 0;
  BARRIER();
  for (int k = 0; k < n; k += 8, at = !at) {
    int next = k + 8;
    if (next < n) {
      ta[!at][TY][TX] = i < n && next + TX < n ? a[i * n + next + TX] : 0;
      tb[!at][TY][TX] = next + TY < n && j < n ? b[(next + TY) * n + j] : 0;
    }
    for (int l = 0; l < 8; l++)
      sum += ta[at][TY][l] * tb[at][l][TX];
    BARRIER();
  }
  if (i < n && j < n)
    c[i * n + j] = sum;
}

/* The other way round within a block, through dynamic shared memory */
KERNEL void reverse(double *a, int n)
{
  dynamic[TX] = a[X];
  BARRIER();
  a[X] = dynamic[n - 1 - TX];
}
