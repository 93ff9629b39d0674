/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels with one fault each, most of them only if their last argument isn't 0. */
#include "gpu.h"

SHARED int box[64];
CONSTANT const int limits[2] = {1, 2};

KERNEL void writes(int *a, long at)
{
  a[at + X] = 1;
}

KERNEL void reads(int *a, const int *b, long at)
{
  a[X] = b[at + X];
}

KERNEL void byte_address(char *a, long at)
{
  *(volatile int *)(a + at) = 3;
}

KERNEL void shared_uninitialised(int *a, int fault)
{
  if (!fault)
    box[TX] = TX;
  BARRIER();
  a[TX] = box[TX];
}

KERNEL void shared_bounds(int *a, int at)
{
  box[TX + at] = TX;
  BARRIER();
  a[TX] = box[TX + at];
}

KERNEL void local_uninitialised(int *a, int n)
{
  int l[8];
  for (int k = 0; k < n; k++)
    l[k] = a[k];
  a[0] = l[a[1] & 7];
}

KERNEL void some_wait(int *a, int n)
{
  if (TX < n)
    BARRIER();
  a[TX] = 1;
}

KERNEL void two_barriers(int *a, int n)
{
  if (TX < n) {
    a[TX] = 1;
    BARRIER();
    a[TX] = 2;
  } else {
    a[TX] = 3;
    BARRIER();
    a[TX] = 4;
  }
}

/* Without fault each block writes its own. */
KERNEL void blocks_write(int *a, int fault)
{
  if (!TX)
    a[fault ? 0 : BX] = 1;
}

KERNEL void blocks_read(int *a, int fault)
{
  if (!TX)
    a[BX] = a[fault ? (BX + 1) % 4 : BX] + 1;
}

KERNEL void threads_write(int *a, int fault)
{
  a[fault ? 0 : TX] = 1;
}

/* Right where a warp goes in step, which none has to */
KERNEL void in_step(int *a, int fault)
{
  box[TX] = 0;
  BARRIER();
  box[TX] = a[TX];
  if (!fault)
    __nvvm_bar_warp_sync(-1);
  a[TX] = box[TX ^ 1];
}

KERNEL void counts(int *a, int fault)
{
  if (fault)
    a[0]++;
  else
    __atomic_fetch_add(a, 1, __ATOMIC_RELAXED);
}

KERNEL void atomic_and_read(int *a, int *b, int fault)
{
  __atomic_fetch_add(a, 1, __ATOMIC_RELAXED);
  if (fault)
    b[X] = *a;
}

KERNEL void endless(volatile int *a, int n)
{
  while (n)
    a[TX] = n;
}

KERNEL void traps(int *a, int fault)
{
  a[TX] = 1;
  if (fault)
    __builtin_trap();
}

/* Only half a warp comes. */
KERNEL void half_shuffle(int *a, int n)
{
  if (TX < n)
    a[TX] = __nvvm_shfl_sync_bfly_i32(-1, a[TX], 1, 31);
}

/* Reads through the cache for what nobody writes. */
KERNEL void stale(int *a, int fault)
{
  if (fault)
    a[TX] = 5;
  a[128 + TX] = __nvvm_ldg_i(a + TX);
}

/* Some lanes wait for others that wait at a barrier. */
KERNEL void shuffle_or_wait(int *a, int n)
{
  if (TX < n)
    a[TX] = __nvvm_shfl_sync_bfly_i32(-1, a[TX], 1, 31);
  BARRIER();
}

#ifdef ASYNC /* sm_80 */
typedef __attribute__((address_space(1))) int global_int;

/* Two buffers that cp.async fills: the next one while this one is read. FAULT: 1 the wait, 2 the barrier behind it, 3 the
 * barrier in front of the next copy is missing. 32 threads, a of 256. */
KERNEL void buffers(int *a, int fault)
{
  int sum = 0;
  __nvvm_cp_async_ca_shared_global_4((SHARED int *)&box[TX], (global_int *)(a + TX));
  __nvvm_cp_async_commit_group();
  for (int k = 0; k < 4; k++) {
    if (fault != 3)
      BARRIER();
    if (k < 3)
      __nvvm_cp_async_ca_shared_global_4((SHARED int *)&box[(k + 1) % 2 * 32 + TX], (global_int *)(a + (k + 1) * 32 + TX));
    __nvvm_cp_async_commit_group();
    if (fault != 1)
      __nvvm_cp_async_wait_group(1);
    if (fault != 2)
      BARRIER();
    sum += box[k % 2 * 32 + (TX ^ 5)];
  }
  if (!fault && sum != 4 * (TX ^ 5) + 192)
    __builtin_trap();
  a[128 + TX] = sum;
}
#endif

KERNEL void constant_write(int *a, int fault)
{
  int *at = fault ? (int *)(__attribute__((address_space(0))) int *)&limits[1] : a;
  *(volatile int *)at = 3;
}
