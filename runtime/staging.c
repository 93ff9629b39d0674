/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Staging memory: where what comes back waits until all of it is there. The device writes to page-locked memory several
 * times as fast as to other, which is copied once more, but to lock it takes the driver milliseconds: there is one such
 * buffer, kept for the next job. It grows as jobs want more, up to MOST_LOCKED, since the system can't use it for anything
 * else.
 *
 *   nobody has the buffer, and it is large enough or can grow -> the job's, till it ends
 *   another job has it, more is wanted, the driver has none   -> malloc; it is no failure, nothing is told */
#include "runtime.h"
#include <stdlib.h>

#define LEAST_LOCKED (256ull << 10) /* bytes: sizes are this times a power of 2, so that it grows a few times at most */
#define MOST_LOCKED (64ull << 20)

/* Have a buffer of BYTES at least. What there is stays if the driver has no more, and it isn't asked for that again. The
 * caller has the buffer. */
static bool grow(struct tsr_device *device, struct tsr_buffer *buffer, uint64_t bytes)
{
  if (bytes <= buffer->bytes)
    return true;
  if (bytes > MOST_LOCKED || buffer->refused || !device->cu.cuMemHostAlloc || !device->cu.cuMemFreeHost)
    return false;
  uint64_t size = LEAST_LOCKED;
  while (size < bytes)
    size *= 2;
  void *host;
  buffer->refused = device->cu.cuMemHostAlloc(&host, size, 0) != TSR_CU_SUCCESS;
  if (buffer->refused)
    return false;
  if (buffer->host)
    device->cu.cuMemFreeHost(buffer->host);
  buffer->host = host;
  buffer->bytes = size;
  return true;
}

/* Take the buffer, or give it back. Was it free? */
static bool set_taken(struct tsr_device *device, bool taken)
{
  pthread_mutex_lock(&device->lock);
  bool was_free = !device->buffer.taken;
  device->buffer.taken = taken;
  pthread_mutex_unlock(&device->lock);
  return was_free;
}

bool tsr_staging_take(struct tsr_rt_job *job, uint64_t bytes)
{
  struct tsr_device *device = job->device;
  if (set_taken(device, true)) {
    if (grow(device, &device->buffer, bytes)) {
      job->staging = device->buffer.host;
      job->has_buffer = true;
      return true;
    }
    set_taken(device, false);
  }
  job->staging = malloc(bytes);
  if (!job->staging)
    tsr_job_fail(job, "no memory for the %llu bytes that come back: use smaller sizes, or set TESSERA_RT_DEVICE=none",
                 (unsigned long long)bytes);
  return job->staging;
}

void tsr_staging_give_back(struct tsr_rt_job *job, bool settled)
{
  if (!job->has_buffer)
    free(job->staging);
  else if (settled)
    set_taken(job->device, false);
  job->staging = NULL;
  job->has_buffer = false;
}

void tsr_staging_free(struct tsr_device *device)
{
  if (device->buffer.host)
    device->cu.cuMemFreeHost(device->buffer.host);
  device->buffer = (struct tsr_buffer){.host = NULL};
}
