/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What code for a GPU calls on the host. Nobody calls it by hand: the pass writes these calls, once a run of a SCoP:
 *
 *     if (!tsr_rt_pays(&module, saves)) go on with the CPU's code       unless the GPU is to be tried in any case
 *     job = tsr_rt_begin(&module)                      NULL: go on with the CPU's code
 *     flag = tsr_rt_flag(job)                          if a kernel may give the job up
 *     dA  = tsr_rt_array(job, &A[first], bytes)        device memory for A[first ..], at dA
 *     tsr_rt_copy_in(job, dA, &A[first], row, pitch, rows)
 *     tsr_rt_launch(job, kernel, grid, block, shared, args)           ..
 *     tsr_rt_copy_out(job, &A[i], dA + .., row, row, 1, again)        .. row by row: they are put together
 *     if (!tsr_rt_end(job)) go on with the CPU's code
 *
 * No call ever exits, aborts or unwinds. The first one that fails makes all that follow do nothing, and tsr_rt_end says 0:
 * then no byte of the host's memory has changed that the CPU's code reads, so that this can run instead. The first failure
 * of a process is told on stderr in one line, which says what to do; a machine without a GPU is no failure, and nothing is
 * said. errno is as before, so is the thread's CUDA context, and a thread isn't cancelled within a call.
 *
 * libcuda.so.1 is opened when the first job begins, never earlier. Threads may have a job each at a time. CUDA allows no
 * device to the child of a process that uses it: forked after the first job has begun, it gets NULL. Jobs are NULL, too,
 * in handlers of the process's end older than the first job, and after an error that takes the device with it.
 *
 * Device memory of a job is kept for those that follow, till the process ends or there is too little; so is up to 64 MiB of
 * page-locked memory for what comes back.
 *
 *     TESSERA_RT_TRACE=1       a line a job on stderr: kernels, grids, blocks, bytes in and out, times
 *     TESSERA_RT_DEVICE=N      which device, 0 if it isn't set; "none": the CPU
 *     TESSERA_RT_START=MS      milliseconds that starting the GPU is taken to cost (tsr_rt_pays)
 */
#ifndef TESSERA_RT_H
#define TESSERA_RT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What TSR_RT_VERSION was when the caller was compiled is the first member of its module: with another one there is no job,
 * and one message. */
#define TSR_RT_VERSION 1

struct tsr_rt_kernel {
  const char *name; /* of the entry in the module's PTX */
};

/* The kernels of a translation unit. The caller's, static; `state` is NULL at first and belongs to the runtime. */
struct tsr_rt_module {
  int64_t version;
  const char *name; /* the source file, for messages */
  const char *ptx;  /* text, NUL-terminated */
  int64_t n_kernel;
  const struct tsr_rt_kernel *kernel;
  void *state;
};

struct tsr_rt_job;

/* Is a job for kernels of MODULE, which would save SAVES nanoseconds, to run on the device? Yes if they have been started;
 * else if this and all that was asked of before in vain, in this process, would save as much as starting them takes. It
 * starts nothing, and takes no lock. */
int tsr_rt_pays(struct tsr_rt_module *module, double saves);

/* A job on the device for kernels of MODULE; NULL: there is no device, its driver refuses the PTX, or the process has given
 * it up. The caller calls tsr_rt_end, whatever comes between. */
struct tsr_rt_job *tsr_rt_begin(struct tsr_rt_module *module);

/* A region of device memory for BYTES bytes that are at HOST in the host's memory: its address, whose last 8 bits are those
 * of HOST, so that what is aligned there is so on the device. 0: failure, or BYTES is 0. What isn't copied in is undefined.
 * Regions of a job may overlap on the host, or be the same: each has memory of its own. */
uint64_t tsr_rt_array(struct tsr_rt_job *job, const void *host, uint64_t bytes);

/* The address, on the device, of 4 bytes of the job's that are 0 at first, aligned; the same one at each call. 0: failure.
 * Where a kernel has stored another value there when the job ends, it has given the job up, for what it can't do: nothing is
 * copied back, `again` or not, and tsr_rt_end says 0. That is no failure: nothing is said, the next job goes on. */
uint64_t tsr_rt_flag(struct tsr_rt_job *job);

/* Copy ROWS pieces of ROW bytes, PITCH bytes from one to the next, from HOST on, to the device, from DEVICE on: there they
 * are in one region of the job's. ROW <= PITCH, unless ROWS is at most 1. Nothing is copied if ROW or ROWS is 0. HOST's
 * bytes stay as they are till tsr_rt_end. */
void tsr_rt_copy_in(struct tsr_rt_job *job, uint64_t device, const void *host, uint64_t row, uint64_t pitch, uint64_t rows);

/* Copy back, from DEVICE to HOST, as tsr_rt_copy_in does there, when the job ends. AGAIN: the CPU's code reads none of these
 * bytes before it has written them, so that they may go to their place though another copy may fail; else they wait
 * elsewhere till all have come. A copy that continues the one before, on both sides, becomes one with it, so rows may be
 * asked for one by one; others of a region may come in one piece with what is between them. To the host go these bytes and
 * no others all the same. Where copies overlap on the host they bring the same bytes. */
void tsr_rt_copy_out(struct tsr_rt_job *job, void *host, uint64_t device, uint64_t row, uint64_t pitch, uint64_t rows,
                     int again);

/* Launch kernel number KERNEL of the module behind all that was asked for before. GRID, BLOCK: x, y, z; a grid with a 0 in
 * it runs nothing. SHARED: bytes of dynamic shared memory. ARGS: as cuLaunchKernel's kernelParams; read before it
 * returns. */
void tsr_rt_launch(struct tsr_rt_job *job, int64_t kernel, const uint32_t grid[3], const uint32_t block[3], uint32_t shared,
                   void **args);

/* Wait for all of it, copy back, free JOB (NULL: nothing). 1: the results are in the host's memory. 0: a failure, or the
 * flag is set. */
int tsr_rt_end(struct tsr_rt_job *job);

#ifdef __cplusplus
}
#endif
#endif
