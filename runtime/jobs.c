/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entry points (tessera_rt.h), each framed so that its caller finds errno, the thread's CUDA context, and whether it can
 * be cancelled as they were:
 *
 *   hold -> make the context current -> the work -> the context before -> put_back
 *
 * A job that has failed skips the work. */
#include "runtime.h"
#include <errno.h>
#include <stdlib.h>

struct held {
  int error, cancel;
};

/* Keep errno; the thread isn't cancelled till put_back, which would leave locks held. */
static struct held hold(void)
{
  struct held held = {.error = errno};
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &held.cancel);
  return held;
}

/* The call is over. */
static void put_back(struct held held)
{
  pthread_setcancelstate(held.cancel, NULL);
  errno = held.error;
}

/* Is there work to do? Then the device's context is current, and `leave` follows. */
static bool enter(struct tsr_rt_job *job)
{
  return job && !job->failed && TSR_DID(job, cuCtxPushCurrent_v2, job->device->context);
}

/* Has all gone well? */
static bool leave(struct tsr_rt_job *job)
{
  cu_context popped;
  return TSR_DID(job, cuCtxPopCurrent_v2, &popped) && !job->failed;
}

/* Wait for what a failed job has asked for, as nobody else has: its memory is reused, or given back if it was too little. If
 * that isn't possible, neither is anything else. Was it? */
static bool settle(struct tsr_rt_job *job)
{
  const struct tsr_driver *cu = &job->device->cu;
  cu_context popped;
  bool settled = !job->stream;
  if (cu->cuCtxPushCurrent_v2(job->device->context) == TSR_CU_SUCCESS) {
    settled = settled || cu->cuStreamSynchronize(job->stream->handle) == TSR_CU_SUCCESS;
    if (settled && job->out_of_memory) {
      tsr_regions_give_back(job);
      tsr_blocks_free(job->device);
    }
    settled &= cu->cuCtxPopCurrent_v2(&popped) == TSR_CU_SUCCESS;
  }
  if (!settled)
    tsr_device_give_up();
  return settled;
}

/* Free JOB and what it has. */
static void release(struct tsr_rt_job *job)
{
  bool settled = !job->failed || settle(job);
  if (job->unfit)
    tsr_module_refuse(job);
  tsr_regions_give_back(job);
  tsr_stream_give_back(job);
  tsr_staging_give_back(job, settled);
  tsr_device_leave(job->device);
  free(job->copy);
  free(job);
}

/* A job on DEVICE; NULL: none */
static struct tsr_rt_job *new_job(struct tsr_device *device, struct tsr_rt_module *module)
{
  struct tsr_rt_job *job = calloc(1, sizeof *job);
  if (!job) {
    tsr_tell("%s: out of memory: free some, or set TESSERA_RT_DEVICE=none", module->name);
    tsr_device_leave(device);
    return NULL;
  }
  job->device = device;
  job->module = module;
  if (device->traces)
    job->trace.begin = tsr_trace_now();
  if (enter(job)) {
    if (tsr_module_load(job))
      tsr_stream_take(job);
    leave(job);
  }
  if (!job->failed)
    return job;
  release(job);
  return NULL;
}

/* What is kept for jobs */
static void clear(struct tsr_device *device)
{
  tsr_blocks_free(device);
  tsr_streams_free(device);
  tsr_staging_free(device);
  tsr_modules_free(device);
}

struct tsr_rt_job *tsr_rt_begin(struct tsr_rt_module *module)
{
  struct held held = hold();
  struct tsr_rt_job *job = NULL;
  struct tsr_device *device = tsr_device_enter(clear);
  if (device && module->version == TSR_RT_VERSION) {
    job = new_job(device, module);
  } else if (device) {
    tsr_tell("a program was compiled for version %lld of libtessera_rt, this is version %d: compile it again",
             (long long)module->version, TSR_RT_VERSION);
    tsr_device_leave(device);
  }
  put_back(held);
  return job;
}

uint64_t tsr_rt_array(struct tsr_rt_job *job, const void *host, uint64_t bytes)
{
  struct held held = hold();
  cu_address address = 0;
  if (bytes && enter(job)) {
    address = tsr_region_add(job, host, bytes);
    if (!leave(job))
      address = 0;
  }
  put_back(held);
  return address;
}

uint64_t tsr_rt_flag(struct tsr_rt_job *job)
{
  struct held held = hold();
  cu_address address = 0;
  if (enter(job)) {
    address = tsr_flag_address(job);
    if (!leave(job))
      address = 0;
  }
  put_back(held);
  return address;
}

void tsr_rt_copy_in(struct tsr_rt_job *job, uint64_t device, const void *host, uint64_t row, uint64_t pitch, uint64_t rows)
{
  struct held held = hold();
  if (enter(job)) {
    tsr_copy_to_device(job, (struct tsr_rows){(unsigned char *)(uintptr_t)host, device, row, pitch, rows});
    leave(job);
  }
  put_back(held);
}

void tsr_rt_copy_out(struct tsr_rt_job *job, void *host, uint64_t device, uint64_t row, uint64_t pitch, uint64_t rows,
                     int again)
{
  struct held held = hold();
  if (job && !job->failed)
    tsr_copy_to_host(job, (struct tsr_rows){host, device, row, pitch, rows}, again);
  put_back(held);
}

/* Launch a kernel that has something to do. */
static void launch(struct tsr_rt_job *job, int64_t kernel, const uint32_t grid[3], const uint32_t block[3], uint32_t shared,
                   void **args)
{
  cu_function function = tsr_module_function(job, kernel, shared);
  if (function && TSR_DID(job, cuLaunchKernel, function, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared,
                          job->stream->handle, args, NULL))
    tsr_trace_launch(job, kernel, grid, block);
}

void tsr_rt_launch(struct tsr_rt_job *job, int64_t kernel, const uint32_t grid[3], const uint32_t block[3], uint32_t shared,
                   void **args)
{
  struct held held = hold();
  if (grid[0] && grid[1] && grid[2] && enter(job)) {
    launch(job, kernel, grid, block, shared, args);
    leave(job);
  }
  put_back(held);
}

int tsr_rt_end(struct tsr_rt_job *job)
{
  if (!job)
    return 0;
  struct held held = hold();
  bool traces = job->device->traces;
  job->trace.asked = traces ? tsr_trace_now() : 0;
  if (enter(job)) {
    tsr_copies_fetch(job);
    leave(job);
  }
  bool good = !job->failed && !tsr_flag_is_set(job);
  if (good)
    tsr_copies_store(job);
  if (traces)
    tsr_trace_put(job);
  release(job);
  put_back(held);
  return good;
}
